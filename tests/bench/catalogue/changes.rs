//! Reads of a million games while games change, compared with reads while nothing changes; and how soon a change is visible.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use e2e::{Fleet, SmallFleet};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use super::MANY;
use super::ask::{CatalogueClient, Question, percentile};
use super::fill::{fill, restart};
use super::generate::Generator;
use crate::side::{median, print_ratio};
use crate::visibility::Reader;
use crate::writes::studios::{STUDIOS, Studios, Way};

/// Rounds, each of which has a part without changes and one with.
const ROUNDS: usize = 7;
const PART: Duration = Duration::from_secs(4);
const BETWEEN_CHANGES: Duration = Duration::from_millis(10);
/// What is read, in turns.
const READS: [Question; 4] = [
    Question::FirstPage,
    Question::OneGame,
    Question::ThreeFilters,
    Question::TwoWords,
];

pub(crate) async fn run() {
    let mut small = SmallFleet::new();
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let generator = Generator::new(MANY);
    fill(&fleet, &generator).await;
    let (fleet, _) = restart(&small).await;
    let studios = Studios::open(&fleet).await;
    let mut client = CatalogueClient::of(&fleet, &generator).await;
    read_until(&mut client, Instant::now() + PART).await;
    let (mut ratios, mut longer, mut visible) = (Vec::new(), Vec::new(), Vec::new());
    let mut shown = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let mut quiet = read_until(&mut client, Instant::now() + PART).await;
        let stop = Arc::new(AtomicBool::new(false));
        let changes = change_until(&fleet, &studios, Arc::clone(&stop)).await;
        let mut busy = read_until(&mut client, Instant::now() + PART).await;
        stop.store(true, Ordering::Relaxed);
        visible.extend(changes.join_all().await.concat());
        let p99 = [&mut quiet, &mut busy].map(|times| percentile(times, 99));
        ratios.push(p99[1] / p99[0]);
        for (shown, p99) in shown.iter_mut().zip(p99) {
            shown.push(p99);
        }
        longer.push(percentile(&mut busy, 100) - percentile(&mut quiet, 50));
    }
    let of = |values: &[f64]| median(values, |value| *value);
    println!(
        "p99 of reads: {:.0} µs without changes, {:.0} µs with",
        of(&shown[0]),
        of(&shown[1])
    );
    print_ratio("p99 of reads, a change every 10 ms / none", &ratios);
    println!(
        "the slowest read took {:.1} ms longer than half of those without changes, at most",
        longer.iter().copied().fold(0.0, f64::max) / 1_000.0
    );
    println!(
        "{} changes, visible after p50 {:.1} ms, p99 {:.1} ms, at most {:.1} ms",
        visible.len(),
        percentile(&mut visible, 50) / 1_000.0,
        percentile(&mut visible, 99) / 1_000.0,
        percentile(&mut visible, 100) / 1_000.0
    );
}

/// The times of reads, one after the other.
async fn read_until(client: &mut CatalogueClient, end: Instant) -> Vec<Duration> {
    let mut times = Vec::new();
    while Instant::now() < end {
        for question in READS {
            times.push(client.time(question).await);
        }
    }
    times
}

/// Changes a game every 10 ms and looks for the change. Returns how long each took from its answer until it was found.
async fn change_until(
    fleet: &Fleet,
    studios: &Studios,
    stop: Arc<AtomicBool>,
) -> JoinSet<Vec<Duration>> {
    let (studios, reader) = (studios.clone(), Reader::new(fleet).await);
    let mut way = Way::replicas(fleet, 1).await;
    let mut task = JoinSet::new();
    task.spawn(async move {
        let mut ticks = tokio::time::interval(BETWEEN_CHANGES);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut visible = Vec::new();
        for turn in 0.. {
            ticks.tick().await;
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let (slug, tagline) = studios.change(turn, turn / STUDIOS, &mut way).await;
            let answered = Instant::now();
            reader.sees(&slug, &tagline).await;
            visible.push(answered.elapsed());
        }
        visible
    });
    task
}
