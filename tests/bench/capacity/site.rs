//! A fleet that is loaded at a given rate, however long each call takes.

use std::future;
use std::time::Duration;

use e2e::{Fleet, KeyRequest, Process, SmallFleet, Staff};
use futures::stream::{self, StreamExt as _};
use kit::rpc::client::Client as Channel;
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;

use super::Load;
use crate::economy::games::Games;
use crate::votes::cast;
use crate::webhooks::backlog::Backlog;
use crate::webhooks::receiver::Receiver;
use crate::writes::studios::{Studios, Way};

/// Endpoints that get a message about each write, once they are resumed.
pub(super) const ENDPOINTS: u32 = 10;
/// Games with a currency.
const CURRENCIES: usize = 64;
/// How long a load is measured, and how long it lasts before that.
const SECONDS: u32 = 20;
const WARM_UP: u32 = 5;
/// Calls that wait for their time or for their answer.
const AT_ONCE: usize = 1_000;

/// Lists and searches that are read in turns, among single games.
const PATHS: [&str; 4] = [
    "/games",
    "/games?country=KE",
    "/games?platform=web",
    "/search?q=lagos",
];

/// Reads, writes, votes and reports a second.
pub(super) type Rates = [u32; 4];

/// The load of these rates, with the deliveries that the writes cause.
pub(super) fn load([reads, writes, votes, reports]: Rates) -> Load {
    [reads, writes, writes * ENDPOINTS, votes, reports].map(f64::from)
}

/// The fleet, and who calls it.
pub(super) struct Site<'a> {
    pub(super) fleet: Fleet,
    pub(super) processes: Vec<Process>,
    key: String,
    http: reqwest::Client,
    studios: Studios,
    games: Games,
    catalogue: Channel,
    economy: Channel,
    backlog: Backlog<'a>,
    endpoints: Vec<Uuid>,
}

impl<'a> Site<'a> {
    /// A fleet with studios, currencies, and endpoints that are paused.
    pub(super) async fn open(small: &mut SmallFleet, receiver: &'a Receiver) -> Self {
        let plans = small.plans();
        let fleet = small.up_with(&["--plans", &plans]).await;
        let mut staff = Staff::of(&fleet).await;
        let account = staff.account("unlimited").await;
        let (_, key) = staff.key(&account, KeyRequest::live()).await;
        let studios = Studios::open(&fleet).await;
        let mut games = Games::open(&fleet, "unlimited").await;
        games.grow(&fleet, CURRENCIES).await;
        let backlog = Backlog::new(&fleet, receiver).await;
        let endpoints = usize::try_from(ENDPOINTS).unwrap();
        let pids = fleet.pids();
        Self {
            processes: pids
                .iter()
                .map(|(name, pid)| Process::new(name, *pid))
                .collect(),
            endpoints: backlog.add_endpoints("in", endpoints).await,
            catalogue: fleet.rpc_client("catalogue-svc").await,
            economy: fleet.rpc_client("economy-svc").await,
            http: reqwest::Client::new(),
            fleet,
            key,
            studios,
            games,
            backlog,
        }
    }

    /// From now on each write causes a delivery to each endpoint.
    pub(super) async fn resume(&self) {
        self.backlog.resume(&self.endpoints).await;
    }

    /// The cores that each process uses under a load.
    pub(super) async fn cores(&self, rates: Rates) -> Vec<f64> {
        self.load(rates, WARM_UP).await;
        let (start, before) = (Instant::now(), self.cpu());
        self.load(rates, SECONDS).await;
        let seconds = start.elapsed().as_secs_f64();
        assert!(
            seconds < 1.1 * f64::from(SECONDS),
            "{rates:?} took {seconds:.0} s: this machine is too slow or too busy for a measurement"
        );
        let used = self.cpu().into_iter().zip(before);
        used.map(|(after, before)| (after - before) / 1e6 / seconds)
            .collect()
    }

    /// Microseconds of CPU so far.
    fn cpu(&self) -> Vec<f64> {
        let cpu = |process: &Process| match process.name.as_str() {
            "postgres" => process.cpu_with_children(),
            _ => process.cpu(),
        };
        self.processes.iter().map(cpu).collect()
    }

    /// Resident memory of each process, in MiB.
    pub(super) fn memory(&self) -> Vec<f64> {
        let memory = |process: &Process| f64::from(process.memory()) / 1024.0;
        self.processes.iter().map(memory).collect()
    }

    /// Connections to PostgreSQL that each process has.
    #[expect(
        clippy::disallowed_methods,
        reason = "the view is PostgreSQL's, and no schema's"
    )]
    pub(super) async fn connections(&self) -> Vec<f64> {
        let connecting = PgConnection::connect(&self.fleet.database_url);
        let mut connection = connecting.await.unwrap();
        let counts = "select application_name, count(*)::float8 from pg_stat_activity
            where backend_type = 'client backend' group by application_name";
        let counts: Vec<(String, f64)> = sqlx::query_as(counts)
            .fetch_all(&mut connection)
            .await
            .unwrap();
        let of = |process: &Process| {
            let count = counts.iter().find(|(name, _)| *name == process.name);
            count.map_or(0.0, |(_, count)| *count)
        };
        self.processes.iter().map(of).collect()
    }

    async fn load(&self, [reads, writes, votes, reports]: Rates, seconds: u32) {
        let (catalogue, economy) = (&self.catalogue, &self.economy);
        tokio::join!(
            sleep(Duration::from_secs(seconds.into())),
            pace(reads, seconds, async |n| self.read(n).await),
            pace(writes, seconds, async |n| self.write(n).await),
            pace(votes, seconds, async |_| cast(catalogue).await.unwrap()),
            pace(reports, seconds, async |n| self
                .games
                .report(economy, n)
                .await),
        );
    }

    async fn read(&self, n: usize) {
        // A quarter are lists and searches.
        let path = match n % 16 {
            list @ (0 | 4 | 8 | 12) => PATHS[list / 4].to_owned(),
            _ => format!("/games/bench-{}-{}", n % 64, n / 64 % 16),
        };
        let url = format!("{}{path}", self.fleet.base_url);
        let answer = self.http.get(url).bearer_auth(&self.key).send().await;
        let answer = answer.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.bytes().await.unwrap();
    }

    async fn write(&self, n: usize) {
        self.studios.change(n, n / 64, &mut Way::Gateway).await;
    }
}

/// Makes `rate` calls a second for so many seconds.
async fn pace(rate: u32, seconds: u32, call: impl AsyncFn(usize)) {
    let start = Instant::now();
    let calls = stream::iter(0..rate * seconds).map(async |n| {
        let due = f64::from(n) / f64::from(rate);
        sleep_until(start + Duration::from_secs_f64(due)).await;
        call(usize::try_from(n).unwrap()).await;
    });
    calls
        .buffer_unordered(AT_ONCE)
        .for_each(|()| future::ready(()))
        .await;
}
