//! catalogue-svc: reads that only the public site needs, for its sitemap, its feed of new games and its games of the day.

use std::ops::ControlFlow;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::site_service_client::SiteServiceClient;
use kit::Fault;
use kit::rpc::client::is_unanswered;
use tonic::Request;

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
        let calls = &client.calls;
        let message = proto::ListSitemapRequest { kind: kind.to_owned(), at_least };
        let mut service = SiteServiceClient::new(calls.client.clone());
        let mut open = async || {
            let mut request = Request::new(message.clone());
            // As for a unary call that is idempotent, a replica that hangs leaves half of the time to another.
            request.set_timeout(calls.deadline / 2);
            service.list_sitemap(request).await
        };
        let response = match open().await {
            Err(status) if is_unanswered(&status) => open().await?,
            opened => opened?,
        };
        let mut parts = response.into_inner();
        while let Some(part) = calls.within_deadline(parts.message()).await? {
            if part.entries.into_iter().try_for_each(&mut each).is_break() {
                break;
            }
        }
        Ok(())
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
