//! Tips at economy-svc while eight services follow its feed, compared with webhook-svc alone. The benchmark reads the streams of the other seven, and
//! stores nothing: it measures what followers cost the producer.

use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::follow_response::{Message, Start};
use contracts::common::v1::{FollowRequest, FollowResponse};
use e2e::{Process, SmallFleet};
use futures::future::join_all;
use kit::rpc::client::Client as Channel;
use tokio::task::JoinSet;
use tonic::Streaming;

use super::games::Games;
use crate::fleet::idle_transactions;
use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median, ratios};

/// Streams that the benchmark reads, in addition to the one of webhook-svc.
const ADDED: usize = 7;
/// The pause of every service but catalogue-svc.
const PAUSE_MS: u32 = 50;
const CALLERS: usize = 16;
const GAMES: usize = 64;

struct Round {
    rate: f64,
    /// CPU time per tip in microseconds: of economy-svc and PostgreSQL.
    cpu: [f64; 2],
}

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let mut games = Games::open(&mut small).await;
    games.grow(GAMES).await;
    // Each follower has a connection of its own, as each service has.
    let channels = join_all((0..ADDED).map(|_| games.fleet.rpc_client("economy-svc"))).await;
    let feeds: Vec<_> = channels.into_iter().map(FeedServiceClient::new).collect();
    idle(report, &games, &feeds).await;
    under_load(report, &games, &feeds).await;
}

async fn idle(report: &mut Report, games: &Games, feeds: &[FeedServiceClient<Channel>]) {
    for added in [0, ADDED] {
        let idle = idle_transactions(&games.fleet);
        let rate = with_followers(&feeds[..added], PAUSE_MS, idle).await;
        let measure = Measure::new(format!(
            "a fleet without calls, followers of economy-svc: {}; transactions/s in PostgreSQL",
            1 + added
        ));
        report.figure(measure, format!("{rate:.1}"), "");
    }
}

async fn under_load(report: &mut Report, games: &Games, feeds: &[FeedServiceClient<Channel>]) {
    let pids = games.fleet.pids();
    let processes = ["economy-svc", "postgres"].map(|name| Process::new(name, pids[name]));
    games.tips(CALLERS, WARM_UP).await;
    let sides = [(0, PAUSE_MS), (ADDED, PAUSE_MS), (ADDED, 0)];
    let mut rounds = sides.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for ((added, pause_ms), rounds) in sides.into_iter().zip(&mut rounds) {
            let tips = round(games, &processes);
            rounds.push(with_followers(&feeds[..added], pause_ms, tips).await);
        }
    }
    let [one, pausing, eager] = &rounds;
    for (eight, pause_ms) in [(pausing, PAUSE_MS), (eager, 0)] {
        let measure = Measure::new(format!(
            "tips at economy-svc, {CALLERS} callers, while webhook-svc and {ADDED} more follow its feed, these with a pause of {pause_ms} ms between two reads, compared with webhook-svc alone; tips/s"
        ));
        let details = format!("{}; webhook-svc alone {}", details(eight), details(one));
        report.ratio(measure, &ratios(eight, one, |round| round.rate), &details);
    }
}

fn details(rounds: &[Round]) -> String {
    let [economy, postgres] = [0, 1].map(|place| median(rounds, |round| round.cpu[place]));
    format!(
        "{:.0} tips/s, CPU a tip economy-svc {economy:.0} µs, PostgreSQL {postgres:.0} µs",
        median(rounds, |round| round.rate)
    )
}

async fn round(games: &Games, processes: &[Process; 2]) -> Round {
    let cpu = || processes.each_ref().map(Process::cpu_with_children);
    let before = cpu();
    let rate = games.tips(CALLERS, SECONDS).await;
    let after = cpu();
    let tips = rate * f64::from(SECONDS);
    Round { rate, cpu: std::array::from_fn(|place| (after[place] - before[place]) / tips) }
}

/// Does `work` while each of these clients follows the feed from its head.
async fn with_followers<T>(
    feeds: &[FeedServiceClient<Channel>],
    pause_ms: u32,
    work: impl Future<Output = T>,
) -> T {
    let streams = join_all(feeds.iter().map(|feed| follow(feed.clone(), pause_ms))).await;
    let mut followers: JoinSet<()> = streams.into_iter().map(read).collect();
    let done = work.await;
    assert!(followers.try_join_next().is_none(), "a stream has ended");
    done
}

async fn follow(mut feed: FeedServiceClient<Channel>, pause_ms: u32) -> Streaming<FollowResponse> {
    // Only the start message of a stream has the position of the head.
    let mut whole = feed.follow(FollowRequest::default()).await.unwrap().into_inner();
    let first = whole.message().await.unwrap().unwrap();
    let Some(Message::Start(Start { epoch, head_seq, head_at, .. })) = first.message else {
        panic!("the stream does not begin with a start message");
    };
    let request = FollowRequest { epoch, after_seq: head_seq, after_at: head_at, pause_ms };
    feed.follow(request).await.unwrap().into_inner()
}

async fn read(mut stream: Streaming<FollowResponse>) {
    while stream.message().await.unwrap().is_some() {}
}
