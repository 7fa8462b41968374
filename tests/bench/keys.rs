//! Calls with the keys of many accounts, and calls while keys change.

use std::time::Duration;

use contracts::gateway::v1::RotateKeyRequest;
use e2e::{KeyRequest, Process, Staff};
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, interval, sleep};

use crate::fleet::BenchFleet;
use crate::many_keys::{self, Key};
use crate::results::{Measure, Report};
use crate::side::{SECONDS, WARM_UP, median, ratios};
use crate::wrk::{self, Load, Request};

const FEW: usize = 10;
const ACTIVE: usize = 20_000;
/// Fewer than the callers that the gateway caches, whose shards are of a fixed size.
const MANY: usize = 80_000;
/// Fewer than of other benchmarks: this one has five sides.
const ROUNDS: usize = 5;

/// A fleet whose accounts have one key each. Each key has made a call, so that the gateway has it in its cache.
struct Callers {
    bench: BenchFleet,
    keys: Vec<Key>,
    /// The secrets of the keys.
    file: String,
}

/// A round of load.
struct Round {
    load: Load,
    /// CPU time of the gateway for each request, in microseconds.
    cpu: f64,
    /// Look-ups of keys in PostgreSQL for each second.
    lookups: f64,
}

pub(crate) async fn run(report: &mut Report) {
    let callers = Callers::new().await;
    let (mut few, mut many) = (Vec::new(), Vec::new());
    for count in [FEW, MANY] {
        callers.calls(count, WARM_UP).await;
    }
    for _ in 0..ROUNDS {
        few.push(callers.calls(FEW, SECONDS).await);
        many.push(callers.calls(MANY, SECONDS).await);
    }
    let measure = Measure::new(format!(
        "GET /games with the keys of {MANY} accounts in random order compared with those of {FEW}; requests/s"
    ));
    let cpu = |rounds: &[Round]| median(rounds, |it| it.cpu);
    let details = format!("CPU of the gateway a request {:.1} and {:.1} µs", cpu(&many), cpu(&few));
    report.ratio(measure, &ratios(&many, &few, |it| it.load.rate), &details);

    // The control makes the same changes to keys that are in the cache as well, but make no calls now.
    let (active, silent) = callers.keys.split_at(ACTIVE);
    let (mut active, mut silent) = (active.iter(), silent.iter());
    let (mut still, mut control, mut changing) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        still.push(callers.calls(ACTIVE, SECONDS).await);
        control.push(callers.calls_while_keys_change(&mut silent).await);
        changing.push(callers.calls_while_keys_change(&mut active).await);
    }
    let lookups = |rounds: &[Round]| median(rounds, |it| it.lookups);
    let p99 = |rounds: &[Round]| median(rounds, |it| it.load.p99);
    for (base, name) in [(still, "no change"), (control, "changes of keys without calls")] {
        let measure = Measure::new(format!(
            "p99 of GET /games with {ACTIVE} active keys, while an account is created and one of these keys rotated each second, compared with {name}"
        ));
        let details = format!(
            "{:.1} and {:.1} look-ups a second in PostgreSQL; p99 {:.1} and {:.1} ms",
            lookups(&changing),
            lookups(&base),
            p99(&changing),
            p99(&base)
        );
        let found = ratios(&changing, &base, |it| it.load.p99);
        report.ratio(measure.required("1.1"), &found, &details);
    }
}

impl Callers {
    async fn new() -> Self {
        let bench = BenchFleet::up().await;
        let keys = many_keys::insert(&bench.fleet, "bench", MANY, MANY).await;
        many_keys::call_with_each(&bench.fleet, &keys).await;
        let secrets: Vec<&str> = keys.iter().map(|key| &*key.secret).collect();
        let file = bench.small.write("keys.txt", secrets.join("\n"));
        Self { bench, keys, file }
    }

    /// Load with the first `count` keys, in random order.
    async fn calls(&self, count: usize, seconds: u32) -> Round {
        let script = format!(
            "local calls = {{}}
             function init()
               math.randomseed(os.time())
               for key in io.lines(\"{}\") do
                 calls[#calls + 1] = wrk.format(\"GET\", nil, {{ Authorization = \"Bearer \" .. key }})
                 if #calls == {count} then return end
               end
             end
             function request()
               return calls[math.random(#calls)]
             end",
            self.file
        );
        let script = self.bench.small.write("keys.lua", script);
        let fleet = &self.bench.fleet;
        let url = format!("{}/games", fleet.base_url);
        let gateway = Process::new("gateway", fleet.pids()["gateway"]);
        let (before, since, cpu) = (self.lookups().await, Instant::now(), gateway.cpu());
        let load = wrk::load(&Request::get(&url).with_script(&script), seconds).await;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let requests = load.requests as f64;
        let cpu = (gateway.cpu() - cpu) / requests;
        let seconds = since.elapsed().as_secs_f64();
        // PostgreSQL's processes publish their statistics with a delay of up to a second.
        sleep(Duration::from_secs(2)).await;
        Round { load, cpu, lookups: (self.lookups().await - before) / seconds }
    }

    /// Load with the active keys while keys are rotated. A rotated key works on in its grace period (§5.9), and its next call looks it up again.
    async fn calls_while_keys_change(&self, rotated: &mut impl Iterator<Item = &Key>) -> Round {
        let change = async {
            let mut staff = Staff::new(&self.bench.fleet).await;
            let mut ticks = interval(Duration::from_secs(1));
            for key in rotated {
                ticks.tick().await;
                let account = staff.account("bench").await;
                staff.key(&account, KeyRequest::live()).await;
                let request = RotateKeyRequest { id: key.id.to_string() };
                staff.gateway.rotate_key(request).await.unwrap();
            }
        };
        tokio::select! {
            round = self.calls(ACTIVE, SECONDS) => round,
            () = change => panic!("no key is left to rotate"),
        }
    }

    /// How often PostgreSQL has looked for a key by its hash.
    #[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
    async fn lookups(&self) -> f64 {
        let mut connection = PgConnection::connect(&self.bench.fleet.database_url).await.unwrap();
        let read = "select idx_scan::double precision from pg_stat_user_indexes where indexrelname = 'key_hash'";
        sqlx::query_scalar(read).fetch_one(&mut connection).await.unwrap()
    }
}
