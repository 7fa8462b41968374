//! catalogue-svc: reads that only the public site needs, for its sitemap, its feed of new games and its games of the day.

use std::ops::ControlFlow;

use contracts::catalogue::v1 as proto;
use kit::Fault;

use super::call::rpcs;
use super::catalogue::{Catalogue, One, Rows, TimedRows, Times};
use super::clients::Site;

impl Catalogue {
    /// Calls `each` for all listings of a kind, in the order of the sitemap, until it breaks.
    pub async fn sitemap(
        &self,
        kind: &str,
        mut each: impl FnMut(proto::SitemapEntry) -> ControlFlow<()> + Send,
    ) -> Result<(), Fault> {
        let request = proto::ListSitemapRequest { kind: kind.to_owned(), at_least: None };
        let each =
            |part: proto::ListSitemapResponse| part.entries.into_iter().try_for_each(&mut each);
        self.0.stream(Site::list_sitemap, request, each).await
    }
}

rpcs! { Catalogue:
    /// The newest games; the featured ones are not preferred.
    idempotent new_games(limit: u32) -> TimedRows =
        Site::list_new_games(proto::ListNewGamesRequest { limit, at_least: None })
        => |listed| TimedRows {
            times: (listed.games.iter())
                .map(|game| Times::decode(game.first_published_at, game.updated_at))
                .collect::<Result<_, _>>()?,
            rows: Rows::new(listed.json, None),
        };

    /// Some of all games. The same `seed` draws the same ones until a game comes or goes.
    idempotent draw_games(seed: u64, limit: u32) -> One =
        Site::draw_games(proto::DrawGamesRequest { seed, limit, at_least: None })
        => |drawn| One::new(drawn.json);
}
