//! How long after its answer a change is in a list: asked of catalogue-svc again and again, without saying what has been written.

use std::time::Duration;

use contracts::catalogue::v1::ListGamesRequest;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::common::v1::Mode;
use contracts::public::GameRow;
use e2e::{Fleet, SmallFleet};
use kit::rpc::client::{Client as Channel, dial};
use tokio::time::Instant;

use crate::writes::studios::{GAMES, STUDIOS, Studios, Way};

/// Changes that are looked for.
const CHANGES: usize = 2_000;
/// Callers that change other games meanwhile.
const OTHERS: usize = 16;
/// What they write until, at most.
const AT_MOST: Duration = Duration::from_mins(10);

pub(crate) async fn run() {
    let mut small = SmallFleet::new();
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let studios = Studios::open(&fleet).await;
    let way = Way::replicas(&fleet, 1).await;
    let reader = Reader::new(&fleet).await;

    measure("nobody else writes", &studios, &way, &reader).await;
    let others = studios.write_until(OTHERS, &way, Instant::now() + AT_MOST);
    let before = (studios.changes(), Instant::now());
    measure("16 others write", &studios, &way, &reader).await;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let changes = (studios.changes() - before.0) as f64;
    println!(
        "  meanwhile {:.0} changes/s",
        changes / before.1.elapsed().as_secs_f64()
    );
    drop(others);
}

async fn measure(what: &str, studios: &Studios, way: &Way, reader: &Reader) {
    let mut way = way.clone();
    let mut times = Vec::with_capacity(CHANGES);
    for turn in 0..CHANGES {
        // The last studio, which is none of the others'.
        let (slug, tagline) = studios.change(STUDIOS - 1, turn % GAMES, &mut way).await;
        let answered = Instant::now();
        reader.sees(&slug, &tagline).await;
        times.push(answered.elapsed());
    }
    times.sort_unstable();
    let percentile = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "{what}: p50 {:.1?}, p99 {:.1?}, at most {:.1?}",
        percentile(50),
        percentile(99),
        percentile(100)
    );
}

/// Looks whether catalogue-svc shows a change.
pub(crate) struct Reader(GamesServiceClient<Channel>);

impl Reader {
    pub(crate) async fn new(fleet: &Fleet) -> Self {
        let token = fleet.service_token.clone().into();
        let channel = dial(&fleet.service("catalogue-svc").grpc, &token).await;
        Self(GamesServiceClient::new(channel.unwrap()))
    }

    /// Returns when a list that is searched for the tagline has the game.
    pub(crate) async fn sees(&self, slug: &str, tagline: &str) {
        let start = Instant::now();
        while !self.finds(slug, tagline).await {
            assert!(
                start.elapsed() < AT_MOST,
                "{slug} is not shown with {tagline}"
            );
        }
    }

    async fn finds(&self, slug: &str, tagline: &str) -> bool {
        let request = ListGamesRequest {
            mode: Mode::Live.into(),
            q: Some(tagline.to_owned()),
            ..ListGamesRequest::default()
        };
        let found = self.0.clone().list_games(request).await.unwrap();
        let games: Vec<GameRow> = serde_json::from_slice(&found.get_ref().json).unwrap();
        (games.iter()).any(|game| game.slug == slug && game.tagline == tagline)
    }
}
