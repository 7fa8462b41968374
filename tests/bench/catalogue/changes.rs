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
use crate::results::{Measure, Report};
use crate::side::{median, percentile};
use crate::visibility::Reader;
use crate::writes::studios::{STUDIOS, Studios, Way};

/// Each round has three parts: without changes, with changes of the other fleet, and with changes of this fleet.
const ROUNDS: usize = 7;
const PART: Duration = Duration::from_secs(4);
const BETWEEN_CHANGES: Duration = Duration::from_millis(10);
/// Changes that are looked for.
const LOOKED_FOR: usize = 1_000;
/// What every measure of reads begins with.
const READS_OF_MANY: &str =
    "reads of 1,000,000 games (first page, one game, three filters, two words; one caller)";
/// What is read, in turns.
const READS: [Question; 4] = [
    Question::FirstPage,
    Question::OneGame,
    Question::ThreeFilters,
    Question::TwoWords,
];

pub(crate) async fn run(report: &mut Report) {
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
    let ratios = |with: &[f64], without: &[f64]| -> Vec<f64> {
        let pairs = with.iter().zip(without);
        pairs.map(|(with, without)| with / without).collect()
    };
    for (base, without) in [
        ("none", quiet),
        (
            "as many in a second fleet, which takes the cores that listings-svc and PostgreSQL take here",
            changed_elsewhere,
        ),
    ] {
        let measure = Measure::new(format!(
            "{READS_OF_MANY} while a game changes every 10 ms compared with {base}; p99"
        ));
        let details = format!("{:.0} and {:.0} µs", of(changed_here), of(without));
        let ratios = ratios(changed_here, without);
        report.ratio(measure.required("1.3"), &ratios, &details);
    }
    let measure = Measure::new(format!(
        "{READS_OF_MANY}: how much longer the slowest took while games changed than half of those without changes, ms"
    ));
    let figure = format!("{:.1}", longer / 1_000.0);
    report.figure(measure.required("25"), figure, "");
    let mut visible = here.look_for_changes(&Reader::new(&fleet).await).await;
    for (percent, required) in [(50, ""), (99, "20"), (100, "")] {
        let measure = Measure::new(format!(
            "from the response to a change until catalogue-svc with {MANY} games shows it: p{percent} of {LOOKED_FOR}, ms"
        ));
        let time = percentile(&mut visible, percent) / 1_000.0;
        report.figure(measure.required(required), format!("{time:.1}"), "");
    }
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
