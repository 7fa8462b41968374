//! How long after its answer a change is in a list: asked of catalogue-svc again and again, without saying what has been written.

use std::time::Duration;

use contracts::catalogue::v1::ListGamesRequest;
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::common::v1::Mode;
use contracts::public::GameRow;
use e2e::{Fleet, SmallFleet};
use kit::rpc::client::Client as Channel;
use tokio::time::Instant;

use crate::results::{Measure, Report};
use crate::writes::studios::{GAMES, STUDIOS, Studios, Way};

/// Changes that are looked for.
const CHANGES: usize = 2_000;
/// Callers that change other games meanwhile.
const OTHERS: usize = 16;
/// What they write until, at most.
const AT_MOST: Duration = Duration::from_mins(10);

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let studios = Studios::open(&fleet).await;
    let way = Way::replicas(&fleet, 1).await;
    let reader = Reader::new(&fleet).await;

    let times = visibility_times(&studios, &way, &reader).await;
    report_times(report, "nobody else writes", &times, "");
    let others = studios.write_until(OTHERS, &way, Instant::now() + AT_MOST);
    let before = (studios.changes(), Instant::now());
    let times = visibility_times(&studios, &way, &reader).await;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let changes = (studios.changes() - before.0) as f64;
    let details = format!(
        "meanwhile {:.0} changes/s",
        changes / before.1.elapsed().as_secs_f64()
    );
    report_times(report, "16 others write", &times, &details);
    drop(others);
}

/// How long each change takes from its response until a list has it, in ascending order.
async fn visibility_times(studios: &Studios, way: &Way, reader: &Reader) -> Vec<Duration> {
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
    times
}

fn report_times(report: &mut Report, others: &str, times: &[Duration], details: &str) {
    for (percent, required) in [(50, "10"), (99, "50"), (100, "")] {
        let measure = Measure::new(format!(
            "from the response to a change until a list of catalogue-svc has it, {others}: p{percent} of {CHANGES}, ms"
        ));
        let time = times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
        report.figure(measure.required(required), format!("{time:.1}"), details);
    }
}

/// Looks whether catalogue-svc shows a change.
pub(crate) struct Reader(GamesServiceClient<Channel>);

impl Reader {
    pub(crate) async fn new(fleet: &Fleet) -> Self {
        let channel = fleet.rpc_client("catalogue-svc").await;
        Self(GamesServiceClient::new(channel))
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
