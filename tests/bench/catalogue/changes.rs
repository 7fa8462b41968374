//! Reads of a million games while games change, compared with reads while nothing changes; and how soon a change is visible.
//!
//! The processes of a change (listings-svc and PostgreSQL above all) share the cores with the reads. Therefore reads are also timed
//! while the same changes happen in a second fleet: what is left of the difference is what a change does to reads of its catalogue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use e2e::{Fleet, SmallFleet};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use super::MANY;
use super::ask::{CatalogueClient, Question};
use super::fill::{fill, restart};
use super::generate::Generator;
use crate::side::{median, percentile, print_ratio};
use crate::visibility::Reader;
use crate::writes::studios::{STUDIOS, Studios, Way};

/// Each round has three parts: without changes, with changes of the other fleet, and with changes of this fleet.
const ROUNDS: usize = 7;
const PART: Duration = Duration::from_secs(4);
const BETWEEN_CHANGES: Duration = Duration::from_millis(10);
/// Changes that are looked for.
const LOOKED_FOR: usize = 1_000;
/// What is read, in turns.
const READS: [Question; 4] = [
    Question::FirstPage,
    Question::OneGame,
    Question::ThreeFilters,
    Question::TwoWords,
];

pub(crate) async fn run() {
    let (mut one, mut other) = (SmallFleet::new(), SmallFleet::new());
    let plans = one.plans();
    let elsewhere = other.up_with(&["--plans", &plans]).await;
    let elsewhere = Changer::of(&elsewhere).await;
    let fleet = one.up_with(&["--plans", &plans]).await;
    let generator = Generator::new(MANY);
    fill(&fleet, &generator).await;
    let (fleet, _) = restart(&one).await;
    let here = Changer::of(&fleet).await;
    let mut client = CatalogueClient::of(&fleet, &generator).await;
    read_for(PART, &mut client).await;
    let mut parts = [const { Vec::new() }; 3];
    let mut longer = 0_f64;
    for _ in 0..ROUNDS {
        let mut quiet = read_for(PART, &mut client).await;
        let mut changed_elsewhere = read_beside(&elsewhere, &mut client).await;
        let mut changed_here = read_beside(&here, &mut client).await;
        longer = longer.max(percentile(&mut changed_here, 100) - percentile(&mut quiet, 50));
        let times = [&mut quiet, &mut changed_elsewhere, &mut changed_here];
        for (part, times) in parts.iter_mut().zip(times) {
            part.push(percentile(times, 99));
        }
    }
    let [quiet, changed_elsewhere, changed_here] = &parts;
    let of = |values: &Vec<f64>| median(values, |value| *value);
    println!(
        "p99 of reads: {:.0} µs without changes, {:.0} µs with changes elsewhere, {:.0} µs with changes here",
        of(quiet),
        of(changed_elsewhere),
        of(changed_here)
    );
    let ratios = |with: &[f64], without: &[f64]| -> Vec<f64> {
        let pairs = with.iter().zip(without);
        pairs.map(|(with, without)| with / without).collect()
    };
    print_ratio(
        "p99 of reads, a change every 10 ms / none",
        &ratios(changed_here, quiet),
    );
    print_ratio(
        "p99 of reads, a change every 10 ms here / elsewhere",
        &ratios(changed_here, changed_elsewhere),
    );
    println!(
        "the slowest read took {:.1} ms longer than half of those without changes, at most",
        longer / 1_000.0
    );
    let mut visible = here.look_for_changes(&Reader::new(&fleet).await).await;
    println!(
        "{} changes, visible after p50 {:.1} ms, p99 {:.1} ms, at most {:.1} ms",
        visible.len(),
        percentile(&mut visible, 50) / 1_000.0,
        percentile(&mut visible, 99) / 1_000.0,
        percentile(&mut visible, 100) / 1_000.0
    );
}

/// The times of reads, one after the other.
async fn read_for(length: Duration, client: &mut CatalogueClient) -> Vec<Duration> {
    let end = Instant::now() + length;
    let mut times = Vec::new();
    while Instant::now() < end {
        for question in READS {
            times.push(client.time(question).await);
        }
    }
    times
}

/// The same, while games change.
async fn read_beside(changer: &Changer, client: &mut CatalogueClient) -> Vec<Duration> {
    let stop = Arc::new(AtomicBool::new(false));
    let changes = changer.clone().change_until(Arc::clone(&stop));
    let times = read_for(PART, client).await;
    stop.store(true, Ordering::Relaxed);
    changes.join_all().await;
    times
}

/// Changes games of a fleet.
#[derive(Clone)]
struct Changer {
    studios: Studios,
    way: Way,
}

impl Changer {
    async fn of(fleet: &Fleet) -> Self {
        Self {
            studios: Studios::open(fleet).await,
            way: Way::replicas(fleet, 1).await,
        }
    }

    /// Changes a game every 10 ms.
    fn change_until(mut self, stop: Arc<AtomicBool>) -> JoinSet<()> {
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut ticks = tokio::time::interval(BETWEEN_CHANGES);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            for turn in 0.. {
                ticks.tick().await;
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                self.change(turn).await;
            }
        });
        task
    }

    /// Changes games one after the other. Returns how long each change took from its response until a list had it.
    async fn look_for_changes(mut self, reader: &Reader) -> Vec<Duration> {
        let mut visible = Vec::with_capacity(LOOKED_FOR);
        for turn in 0..LOOKED_FOR {
            let (slug, tagline) = self.change(turn).await;
            let answered = Instant::now();
            reader.sees(&slug, &tagline).await;
            visible.push(answered.elapsed());
        }
        visible
    }

    /// Returns the game's slug and its new tagline.
    async fn change(&mut self, turn: usize) -> (String, String) {
        let round = turn / STUDIOS;
        self.studios.change(turn, round, &mut self.way).await
    }
}
