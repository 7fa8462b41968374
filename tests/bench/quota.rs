//! The gateway's quota module, as a thread of the gateway has it — one runtime, one connection to Redis — beside redis-benchmark, which
//! sends the same script with the same keys and arguments and does nothing else.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use gateway::domain::key::{Caller, Key, Kind, Mode};
use gateway::domain::plan::Plan;
use gateway::quota::{Quota, SEED_PATIENCE, Shared};
use metrics_exporter_prometheus::PrometheusBuilder;
use redis::Script;
use redis::aio::MultiplexedConnection;
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::Instant;
use uuid::Uuid;

use crate::child;
use crate::side::{ROUNDS, SECONDS, WARM_UP, median, print_ratio};

/// Decisions that are waited for at once, on both sides.
const AT_ONCE: usize = 50;
/// Decisions of redis-benchmark by which it is found out how many it makes in a round.
const TRIAL: f64 = 100_000.0;
/// All calls come at one moment: a window never ends, and both sides write the same key.
const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);
const MINUTE_LIMIT: u32 = 4_000_000_000;
const MONTH_LIMIT: u64 = 4_000_000_000;
/// What redis-benchmark puts a random number for.
const RANDOM: &str = "__rand_int__";
/// Long, since a decision without Redis would be none.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs on one thread.
pub(crate) async fn run() {
    // The gateway counts its decisions; so does this.
    PrometheusBuilder::new().install_recorder().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let address = child::free_address();
    let _server = redis_server(&address, folder.path().to_str().unwrap()).await;
    compare("one key", Decisions::new(&address, 1).await).await;
    let name = format!("{AT_ONCE} keys");
    compare(&name, Decisions::new(&address, AT_ONCE).await).await;
}

async fn compare(keys: &str, decisions: Decisions) {
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
    for (name, rates) in [("redis-benchmark", &bare), ("quota module", &module)] {
        println!(
            "{name}, {keys}: {:.0} decisions/s",
            median(rates, |rate| *rate)
        );
    }
    let ratios: Vec<f64> = module.iter().zip(&bare).map(|(m, b)| m / b).collect();
    print_ratio(&format!("quota module / redis-benchmark, {keys}"), &ratios);
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

/// Callers, each with an account and a key, of whom both sides decide.
struct Decisions {
    address: String,
    callers: Vec<Arc<Caller>>,
    plan: Arc<Plan>,
    quota: Arc<Quota>,
    connection: MultiplexedConnection,
    /// The run of Redis, as the script is told it.
    run: String,
    /// The script's hash.
    script: String,
}

impl Decisions {
    /// The script is loaded, and Redis counts the months.
    async fn new(address: &str, callers: usize) -> Self {
        let url = format!("redis://{address}/");
        let client = redis::Client::open(url.as_str()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let script = Script::new(include_str!("../../gateway/src/quota/quota.lua"));
        script.load_async(&mut connection).await.unwrap();
        let callers: Vec<Arc<Caller>> = (0..callers).map(|n| Arc::new(caller(n))).collect();
        let run = run_id(&mut connection).await;
        let seed = Script::new(include_str!("../../gateway/src/quota/seed.lua"));
        for caller in &callers {
            let mut seed = seed.key(month(&caller.key.account.to_string()));
            let counts: u8 = (seed.arg(&run).arg(0).invoke_async(&mut connection).await).unwrap();
            assert_eq!(counts, 1);
        }
        let redis = kit::redis::Redis::lazy(&url.into(), PATIENCE, "").unwrap();
        Self {
            address: address.to_owned(),
            callers,
            plan: Arc::new(plan()),
            quota: Arc::new(Quota::new(redis, Arc::new(Shared::new(SEED_PATIENCE)))),
            connection,
            run,
            script: script.get_hash().to_owned(),
        }
    }

    /// Decisions a second of the quota module, over so many seconds.
    async fn of_module(&self, seconds: u32) -> f64 {
        let before = self.counted().await;
        let start = Instant::now();
        let end = start + Duration::from_secs(seconds.into());
        let mut tasks = JoinSet::new();
        for caller in self.callers.iter().cycle().take(AT_ONCE) {
            let quota = Arc::clone(&self.quota);
            let (caller, plan) = (Arc::clone(caller), Arc::clone(&self.plan));
            tasks.spawn(async move {
                let mut decisions = 0_u32;
                while Instant::now() < end {
                    let standing = quota.take(&caller, &plan, NOW).await.unwrap();
                    assert!(standing.month_used.is_some(), "Redis was away");
                    decisions += 1;
                }
                decisions
            });
        }
        let decisions: u32 = tasks.join_all().await.iter().sum();
        let took = start.elapsed();
        assert_eq!(self.counted().await - before, decisions);
        f64::from(decisions) / took.as_secs_f64()
    }

    /// Decisions a second of redis-benchmark, which makes so many.
    async fn of_redis_benchmark(&self, decisions: f64) -> f64 {
        let before = self.counted().await;
        // It puts twelve digits of its choice there, each time others.
        let id = format!("{}{RANDOM}", &self.callers[0].key.id.to_string()[..24]);
        let (host, port) = self.address.rsplit_once(':').unwrap();
        let output = Command::new("redis-benchmark")
            .args(["-h", host, "-p", port, "-P", "1", "--csv"])
            .args(["-c", &AT_ONCE.to_string(), "-n", &format!("{decisions:.0}")])
            .args(["-r", &self.callers.len().to_string()])
            .args(["EVALSHA", &self.script, "3"])
            .arg(format!("gateway:{{{id}}}:revoked:{id}"))
            .arg(format!("gateway:{{{id}}}:minute:{id}"))
            .arg(month(&id))
            .arg((NOW.unix_timestamp() * 1_000).to_string())
            .args([MINUTE_LIMIT.to_string(), MONTH_LIMIT.to_string()])
            .args(["1", &self.run, "1"])
            .stdin(Stdio::null())
            .output()
            .await;
        let output = output.unwrap_or_else(|error| panic!("redis-benchmark: {error}"));
        let said = String::from_utf8_lossy(&output.stdout);
        let counted = f64::from(self.counted().await - before);
        assert!(
            (counted - decisions).abs() <= 1.0,
            "{counted} of {decisions:.0}: {said}"
        );
        // The test's name, its requests a second, and its times.
        let rate = said
            .lines()
            .last()
            .and_then(|line| line.split("\",\"").nth(1)?.parse().ok());
        rate.unwrap_or_else(|| panic!("redis-benchmark says no rate: {said}"))
    }

    /// Calls that Redis has counted in all months.
    async fn counted(&self) -> u32 {
        let mut get = redis::cmd("MGET");
        for caller in &self.callers {
            get.arg(month(&caller.key.account.to_string()));
        }
        let held: Vec<String> = get.query_async(&mut self.connection.clone()).await.unwrap();
        let used = held.iter().map(|held| held.split('@').next().unwrap());
        used.map(|used| used.parse::<u32>().unwrap()).sum()
    }
}

/// The run of Redis, as far as the module tells it to the scripts.
async fn run_id(connection: &mut MultiplexedConnection) -> String {
    let mut info = redis::cmd("INFO");
    let info: String = info.arg("server").query_async(connection).await.unwrap();
    let mut lines = info.lines();
    let id = lines.find_map(|line| line.strip_prefix("run_id:")).unwrap();
    id[..20].to_owned()
}

fn month(account: &str) -> String {
    format!("gateway:{{{account}}}:month:2026-03")
}

/// One whose ids end in this number, in twelve decimal digits: so redis-benchmark can write them.
fn caller(number: usize) -> Caller {
    let id: Uuid = format!("00000000-0000-0000-0000-{number:012}")
        .parse()
        .unwrap();
    Caller {
        key: Key {
            id,
            account: id,
            name: "server".to_owned(),
            mode: Mode::Live,
            kind: Kind::Account,
            may_write: false,
            game: None,
            last4: "last".to_owned(),
            created_at: NOW,
            last_used_at: None,
            expires_at: None,
            grace_until: None,
            revoked_at: None,
            revision: 1,
        },
        account_name: "Bench".to_owned(),
        plan: "bench".to_owned(),
        game_stands: true,
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
        lacks: std::collections::BTreeSet::new(),
    }
}
