//! What a quota costs, with so many keys that none is called twice at a time: the script beside an empty one, the gateway's quota module as
//! a thread of the gateway has it (one runtime, one connection to Redis) beside redis-benchmark, and the whole path of GET /games beside
//! the bare hop.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use gateway::domain::key::{Caller, GameState, Key, KeyKind, Mode};
use gateway::domain::plan::Plan;
use gateway::quota::{Quota, SharedCounters};
use metrics_exporter_prometheus::PrometheusBuilder;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Script};
use sqlx::PgPool;
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::Instant;
use uuid::{Uuid, uuid};

use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median};
use crate::{child, games};

/// Keys, each of an account of its own, which call in turns.
pub(crate) const KEYS: usize = 2_000;
/// Decisions that are waited for at once, on both sides.
const AT_ONCE: usize = 50;
/// Decisions of redis-benchmark by which it is found out how many it makes in a round.
const TRIAL: f64 = 100_000.0;
/// All calls come at one moment: a window never ends.
const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);
const MONTH: &str = "2026-03";
const DAY: &str = "2026-03-01";
/// Of every account: redis-benchmark would put another number for each random part of a call.
const KEY: Uuid = uuid!("00000000-0000-0000-0000-0000000000ff");
const MINUTE_LIMIT: u32 = 4_000_000_000;
const MONTH_LIMIT: u64 = 4_000_000_000;
/// What redis-benchmark puts a random number for.
const RANDOM: &str = "__rand_int__";
/// Long, since a decision without Redis would be none.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs on one thread.
pub(crate) async fn run(report: &mut Report) {
    // The gateway counts its decisions; so does this.
    PrometheusBuilder::new().install_recorder().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let address = child::free_address();
    let server = redis_server(&address, folder.path().to_str().unwrap()).await;
    let decisions = Decisions::new(&address).await;
    decisions.compare_scripts(report).await;
    compare(report, &decisions).await;
    drop(server);
    games::compare_in_turns(report, KEYS).await;
}

async fn compare(report: &mut Report, decisions: &Decisions) {
    decisions.of_module(WARM_UP).await;
    let mut bare_rate = decisions.of_redis_benchmark(TRIAL).await;
    let (mut bare, mut module) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare_rate = decisions
            .of_redis_benchmark(bare_rate * f64::from(SECONDS))
            .await;
        bare.push(bare_rate);
        module.push(decisions.of_module(SECONDS).await);
    }
    let ratios: Vec<f64> = module.iter().zip(&bare).map(|(m, b)| m / b).collect();
    let measure = Measure::new(format!(
        "the gateway's quota module (one thread, one connection, {AT_ONCE} tasks, {KEYS} accounts in turns) compared with redis-benchmark -c {AT_ONCE} -P 1 with the same script; decisions/s"
    ));
    let details = format!(
        "quota module {:.0}/s; redis-benchmark {:.0}/s",
        median(&module, |rate| *rate),
        median(&bare, |rate| *rate)
    );
    report.ratio(measure, &ratios, &details);
}

/// A Redis with the settings that a fleet's has.
async fn redis_server(address: &str, folder: &str) -> tokio::process::Child {
    let (_, port) = address.rsplit_once(':').unwrap();
    let args = [
        "--bind",
        "127.0.0.1",
        "--port",
        port,
        "--dir",
        folder,
        "--logfile",
        "redis.log",
        "--maxmemory-policy",
        "noeviction",
        "--appendonly",
        "yes",
        "--appendfsync",
        "everysec",
        "--save",
        "",
    ];
    child::start("redis-server", &args, address).await
}

/// Callers, each with an account, of whom both sides decide.
struct Decisions {
    address: String,
    callers: Vec<Arc<Caller>>,
    plan: Arc<Plan>,
    quota: Arc<Quota>,
    connection: MultiplexedConnection,
    /// The script's hash.
    script: String,
}

impl Decisions {
    /// The script is loaded, and Redis counts the months.
    async fn new(address: &str) -> Self {
        let url = format!("redis://{address}/");
        let client = redis::Client::open(url.as_str()).unwrap();
        // It asks for all accounts at once, on a machine that is loaded.
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
        let connection = client.get_multiplexed_async_connection_with_config(&config);
        let mut connection = connection.await.unwrap();
        let script = Script::new(include_str!("../../gateway/src/quota/consume.lua"));
        script.load_async(&mut connection).await.unwrap();
        let callers: Vec<Arc<Caller>> = (0..KEYS).map(|n| Arc::new(caller(n))).collect();
        let seed = Script::new(include_str!("../../gateway/src/quota/seed.lua"));
        for caller in &callers {
            let mut seed = seed.key(usage(&caller.key.account.to_string()));
            let seed = seed.arg(MONTH).arg(0).arg("2026-02").arg(0);
            let counts: u8 = seed.invoke_async(&mut connection).await.unwrap();
            assert_eq!(counts, 1);
        }
        let redis = kit::redis::Redis::lazy(&url.into(), PATIENCE, "").unwrap();
        // Redis has all months, so PostgreSQL is not read.
        let nowhere = PgPool::connect_lazy("postgres://127.0.0.1:1/nothing").unwrap();
        let counters = SharedCounters::new(nowhere, Duration::from_secs(2), 50);
        Self {
            address: address.to_owned(),
            callers,
            plan: Arc::new(plan()),
            quota: Arc::new(Quota::new(redis, Arc::new(counters))),
            connection,
            script: script.get_hash().to_owned(),
        }
    }

    /// Reports what Redis spends on a run of the script, and of one that does nothing.
    async fn compare_scripts(&self, report: &mut Report) {
        let empty = Script::new("return 1");
        let empty = empty
            .load_async(&mut self.connection.clone())
            .await
            .unwrap();
        let (mut scripts, mut empties) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            scripts.push(self.microseconds(&self.script_call()).await);
            empties.push(self.microseconds(&[&empty, "0"].map(str::to_owned)).await);
        }
        for (name, times) in [
            ("the quota's script", &scripts),
            ("an empty script", &empties),
        ] {
            let measure = Measure::new(format!(
                "time in Redis for a run of {name}, {KEYS} accounts (INFO commandstats), µs"
            ));
            report.figure(measure, format!("{:.1}", median(times, |time| *time)), "");
        }
    }

    /// Microseconds that Redis spends on such a call, as it says itself.
    async fn microseconds(&self, call: &[String]) -> f64 {
        let mut connection = self.connection.clone();
        let mut reset = redis::cmd("CONFIG");
        let () = (reset.arg("RESETSTAT").query_async(&mut connection))
            .await
            .unwrap();
        self.redis_benchmark(call, TRIAL).await;
        let mut info = redis::cmd("INFO");
        let info = info.arg("commandstats").query_async(&mut connection).await;
        let info: String = info.unwrap();
        let mut lines = info.lines();
        let line = lines.find(|line| line.starts_with("cmdstat_evalsha:"));
        let (_, rest) = line.unwrap().split_once("usec_per_call=").unwrap();
        rest.split(',').next().unwrap().parse().unwrap()
    }

    /// Decisions a second of the quota module, over so many seconds.
    async fn of_module(&self, seconds: u32) -> f64 {
        let before = self.counters().await;
        let start = Instant::now();
        let end = start + Duration::from_secs(seconds.into());
        let mut tasks = JoinSet::new();
        for callers in self.callers.chunks(KEYS / AT_ONCE) {
            let (quota, plan) = (Arc::clone(&self.quota), Arc::clone(&self.plan));
            let callers = callers.to_vec();
            tasks.spawn(async move {
                let mut decisions = 0_u32;
                for caller in callers.iter().cycle() {
                    if Instant::now() >= end {
                        break;
                    }
                    let standing = quota.consume(caller, &plan, NOW).await.unwrap();
                    assert!(standing.month_used.is_some(), "Redis was away");
                    decisions += 1;
                }
                decisions
            });
        }
        let decisions: u32 = tasks.join_all().await.iter().sum();
        let took = start.elapsed();
        assert_eq!(self.counters().await - before, decisions);
        f64::from(decisions) / took.as_secs_f64()
    }

    /// Decisions a second of redis-benchmark, which makes so many.
    async fn of_redis_benchmark(&self, decisions: f64) -> f64 {
        let before = self.counters().await;
        let rate = self.redis_benchmark(&self.script_call(), decisions).await;
        let counters = f64::from(self.counters().await - before);
        assert!(
            (counters - decisions).abs() <= 1.0,
            "{counters} of {decisions:.0}"
        );
        rate
    }

    /// What redis-benchmark sends behind EVALSHA to decide on a call of any of the accounts.
    fn script_call(&self) -> Vec<String> {
        // It puts twelve digits of its choice there.
        let account = format!("{}{RANDOM}", &self.callers[0].key.account.to_string()[..24]);
        vec![
            self.script.clone(),
            "1".to_owned(),
            usage(&account),
            KEY.to_string(),
            KEY.to_string(),
            MONTH.to_owned(),
            (NOW.unix_timestamp() * 1_000).to_string(),
            MINUTE_LIMIT.to_string(),
            MONTH_LIMIT.to_string(),
            "1".to_owned(),
            "0".to_owned(),
            "-1".to_owned(),
            DAY.to_owned(),
        ]
    }

    /// Sends such a call so many times; returns how many a second.
    async fn redis_benchmark(&self, call: &[String], times: f64) -> f64 {
        let (host, port) = self.address.rsplit_once(':').unwrap();
        let output = Command::new("redis-benchmark")
            .args(["-h", host, "-p", port, "-P", "1", "--csv"])
            .args(["-c", &AT_ONCE.to_string(), "-n", &format!("{times:.0}")])
            .args(["-r", &KEYS.to_string(), "EVALSHA"])
            .args(call)
            .stdin(Stdio::null())
            .output()
            .await;
        let output = output.unwrap_or_else(|error| panic!("redis-benchmark: {error}"));
        let said = String::from_utf8_lossy(&output.stdout);
        // The test's name, its requests a second, and its times.
        let rate = said
            .lines()
            .last()
            .and_then(|line| line.split("\",\"").nth(1)?.parse().ok());
        rate.unwrap_or_else(|| panic!("redis-benchmark says no rate: {said}"))
    }

    /// Calls that Redis has counters in all months.
    async fn counters(&self) -> u32 {
        let mut pipeline = redis::pipe();
        for caller in &self.callers {
            let account = caller.key.account.to_string();
            pipeline.hget(usage(&account), MONTH);
        }
        let used = pipeline.query_async(&mut self.connection.clone()).await;
        let used: Vec<u32> = used.unwrap();
        used.iter().sum()
    }
}

fn usage(account: &str) -> String {
    format!("gateway:{{{account}}}:usage")
}

/// One whose account ends in this number, in twelve decimal digits: so redis-benchmark can write it.
fn caller(number: usize) -> Caller {
    let account = format!("00000000-0000-0000-0000-{number:012}");
    Caller {
        key: Key {
            id: KEY,
            account: account.parse().unwrap(),
            chain: KEY,
            name: "server".to_owned(),
            mode: Mode::Live,
            kind: KeyKind::Account,
            may_write: false,
            game: None,
            game_state: GameState::Usable,
            last4: "last".to_owned(),
            created_at: NOW,
            last_used_at: None,
            grace_until: None,
            revoked_at: None,
            revision: 1,
        },
        account_name: "Bench".to_owned(),
        plan: "bench".to_owned(),
    }
}

fn plan() -> Plan {
    Plan {
        name: "bench".to_owned(),
        title: "Bench".to_owned(),
        calls_per_minute: Some(MINUTE_LIMIT),
        calls_per_month: Some(MONTH_LIMIT),
        working_keys: None,
        writes_per_day: None,
        webhook_endpoints: None,
        webhook_events: false,
        coming: false,
        lacks: std::collections::BTreeSet::new(),
    }
}
