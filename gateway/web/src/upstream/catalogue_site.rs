//! catalogue-svc: reads that only the public site needs, for its sitemap, its feed of new games and its games of the day.

use std::ops::ControlFlow;

use contracts::catalogue::v1 as proto;
use kit::Fault;

use super::call::rpcs;
use super::catalogue::{Catalogue, One, QUEUE_TIMEOUT, Rows, TimedRows, Times};

impl Catalogue {
    /// Calls `each` for all listings of a kind, in the order of the sitemap, until it breaks.
    pub async fn sitemap(
        &self,
        kind: &str,
        mut each: impl FnMut(proto::SitemapEntry) -> ControlFlow<()> + Send,
    ) -> Result<(), Fault> {
        let at_least = self.position().await;
        let client = &self.0.client;
        let _permit = client.sitemap_limit.acquire(QUEUE_TIMEOUT).await?;
        let mut cursor = String::new();
        loop {
            let kind = kind.to_owned();
            let message = proto::ListSitemapRequest { kind, at_least: at_least.clone(), cursor };
            let page = client.calls.idempotent(message).await?;
            let is_over = page.entries.into_iter().try_for_each(&mut each).is_break();
            if is_over || page.next_cursor.is_empty() {
                return Ok(());
            }
            cursor = page.next_cursor;
        }
    }
}

rpcs! { Catalogue:
    /// The newest games; the featured ones are not preferred.
    idempotent new_games(limit: u32) -> TimedRows =
        proto::ListNewGamesRequest { limit, at_least: None }
        => |listed| TimedRows {
            times: (listed.games.iter())
                .map(|game| Times::decode(game.first_published_at, game.updated_at))
                .collect::<Result<_, _>>()?,
            rows: Rows::new(listed.json, None),
        };

    /// Some of all games. The same `seed` draws the same ones until a game comes or goes.
    idempotent draw_games(seed: u64, limit: u32) -> One =
        proto::DrawGamesRequest { seed, limit, at_least: None }
        => |drawn| One::new(drawn.json);
}
