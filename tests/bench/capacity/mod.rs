//! What a call, a write, a delivery, a vote and a report of a currency cost on this machine, and what a fleet needs for a load of them.

mod plan;
mod site;

use e2e::SmallFleet;

use crate::catalogue::memory_per_game;
use crate::results::{Measure, Report};
use crate::webhooks::receiver::Receiver;
pub(crate) use plan::Demand;
use plan::connections;
use site::{ENDPOINTS, Rates, Site, load};

/// What is counted, with its place in a [`Load`].
const KINDS: [&str; 5] = ["reads", "writes", "deliveries", "votes", "reports"];

/// How many a second of each of [`KINDS`].
type Load = [f64; KINDS.len()];

/// What is measured: all kinds at once, then all but one of them. What a kind costs is the difference, because kinds share work: each wakes
/// the same followers, and PostgreSQL commits what comes at once together. Measured alone, they cost twice as much.
const ALL: Rates = [200, 10, 20, 20];
/// All of them, twice.
const TWICE: Rates = [400, 20, 40, 40];

/// Generated games, from whose memory that of other numbers follows.
const GAMES: u64 = 200_000;

const MIB: f64 = 1024.0 * 1024.0;

/// What was measured.
struct Costs {
    /// The names of the processes.
    processes: Vec<String>,
    /// Cores that each process uses besides what grows with the load.
    constant: Vec<f64>,
    /// Seconds of CPU of each process for one of a kind.
    each: [Vec<f64>; KINDS.len()],
    /// Resident memory of each process, in MiB.
    memory: Vec<f64>,
}

impl Costs {
    async fn measure(site: &Site<'_>) -> Self {
        let [reads, writes, votes, reports] = ALL;
        let without_deliveries = site.cores(ALL).await;
        let without_writes = site.cores([reads, 0, votes, reports]).await;
        site.resume().await;
        let all = site.cores(ALL).await;
        let without_reads = site.cores([0, writes, votes, reports]).await;
        let without_votes = site.cores([reads, writes, 0, reports]).await;
        let without_reports = site.cores([reads, writes, votes, 0]).await;
        let one = |with: &[f64], without: &[f64], rate: f64| -> Vec<f64> {
            let pairs = with.iter().zip(without);
            let used = pairs.map(|(with, without)| (with - without).max(0.0));
            used.map(|used| used / rate).collect()
        };
        let rates = load(ALL);
        let each = [
            one(&all, &without_reads, rates[0]),
            one(&without_deliveries, &without_writes, rates[1]),
            one(&all, &without_deliveries, rates[2]),
            one(&all, &without_votes, rates[3]),
            one(&all, &without_reports, rates[4]),
        ];
        let constant = all.iter().enumerate().map(|(process, used)| {
            let kinds = each.iter().zip(&rates);
            let grows: f64 = kinds.map(|(each, rate)| each[process] * rate).sum();
            (used - grows).max(0.0)
        });
        Self {
            constant: constant.collect(),
            each,
            processes: site.processes.iter().map(|it| it.name.clone()).collect(),
            memory: site.memory(),
        }
    }

    /// The cores that a process needs for a load.
    fn cores(&self, process: usize, load: &Load) -> f64 {
        let costs = self.each.iter().map(|each| each[process]);
        self.constant[process] + costs.zip(load).map(|(cost, rate)| cost * rate).sum::<f64>()
    }

    fn report(&self, report: &mut Report) {
        for (kind, costs) in KINDS.iter().zip(&self.each) {
            let total: f64 = costs.iter().sum();
            let named = self.processes.iter().zip(costs);
            let shares = named.map(|(name, cost)| format!("{name} {:.2}", cost * 1e3));
            let details = shares.collect::<Vec<_>>().join(", ");
            let measure = Measure::new(format!("CPU of all processes for 1,000 {kind}, s"));
            report.figure(measure, format!("{:.2}", total * 1e3), &details);
        }
    }
}

/// Measures, and says what the demanded load needs.
pub(crate) async fn run(report: &mut Report, demand: &Demand) {
    let receiver = Receiver::start().await;
    let mut small = small_fleet(&receiver);
    let site = Site::open(&mut small, &receiver).await;
    let costs = Costs::measure(&site).await;
    costs.report(report);
    let bytes = memory_per_game(&small, &site.fleet, GAMES).await;
    let measure = Measure::new("resident memory of catalogue-svc for 1,000,000 games, MiB");
    let figure = format!("{:.0}", bytes * 1e6 / MIB);
    report.figure(measure, figure, "");
    demand.print(&costs, bytes);
}

/// Measures each kind, predicts twice all of them together, and measures that.
pub(crate) async fn check(report: &mut Report) {
    let receiver = Receiver::start().await;
    let mut small = small_fleet(&receiver);
    let site = Site::open(&mut small, &receiver).await;
    let costs = Costs::measure(&site).await;
    costs.report(report);
    let used = site.cores(TWICE).await;
    let predicted: Vec<f64> = (0..used.len())
        .map(|process| costs.cores(process, &load(TWICE)))
        .collect();
    let most_connections: Vec<f64> = (costs.processes.iter())
        .map(|process| connections(process))
        .collect();
    for comparison in [
        Comparison {
            what: "CPU",
            required: "0.8–1.2",
            measured: used,
            predicted: &predicted,
        },
        Comparison {
            what: "resident memory (MiB)",
            required: "0.8–1.2",
            measured: site.memory(),
            predicted: &costs.memory,
        },
        Comparison {
            what: "connections to PostgreSQL",
            required: "1 or less",
            measured: site.connections().await,
            predicted: &most_connections,
        },
    ] {
        comparison.report(&costs.processes, report);
    }
}

/// What was measured and what was predicted of each process.
struct Comparison<'a> {
    what: &'static str,
    required: &'static str,
    measured: Vec<f64>,
    predicted: &'a [f64],
}

impl Comparison<'_> {
    fn report(&self, processes: &[String], report: &mut Report) {
        let pairs = self.measured.iter().zip(self.predicted);
        let rows: Vec<String> = (processes.iter().zip(pairs))
            .map(|(name, (used, predicted))| format!("{name} {used:.2} and {predicted:.2}"))
            .collect();
        let details = format!("measured and predicted: {}", rows.join(", "));
        let measure = Measure::new(format!(
            "{} of all processes under twice the measured load, of all kinds at once, compared with the prediction",
            self.what
        ));
        let ratio = self.measured.iter().sum::<f64>() / self.predicted.iter().sum::<f64>();
        let measure = measure.required(self.required);
        report.figure(measure, format!("{ratio:.2}"), &details);
    }
}

fn small_fleet(receiver: &Receiver) -> SmallFleet {
    let mut small = SmallFleet::new();
    let hosts = receiver.hosts(usize::try_from(ENDPOINTS).unwrap());
    let hosts: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
    small.set("WEBHOOK_ALLOW", &hosts.join(","));
    // A game reports as often as it is asked to.
    small.set("ECONOMY_REPORT_INTERVAL", "0");
    small
}
