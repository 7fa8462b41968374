//! Calls with the keys of many accounts, and calls while keys change.

use std::time::Duration;

use e2e::{Fleet, KeyRequest, Process, Staff, guess};
use futures::stream::{self, StreamExt as _};
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, interval};

use crate::fleet::BenchFleet;
use crate::results::{Measure, Report};
use crate::side::{ROUNDS, SECONDS, WARM_UP, median, ratios};
use crate::wrk::{self, Load, Request};

const FEW: usize = 10;
const ACTIVE: usize = 20_000;
/// Fewer than the callers that the gateway caches, whose shards are of a fixed size.
const MANY: usize = 80_000;
/// How many first calls are made concurrently.
const AT_ONCE: usize = 32;

/// A fleet whose accounts have one key each. Each key has made a call, so that the gateway has it in its cache.
struct Keys {
    bench: BenchFleet,
    fleet: Fleet,
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
    let keys = Keys::new().await;
    let (mut few, mut many) = (Vec::new(), Vec::new());
    for count in [FEW, MANY] {
        keys.calls(count, WARM_UP).await;
    }
    for _ in 0..ROUNDS {
        few.push(keys.calls(FEW, SECONDS).await);
        many.push(keys.calls(MANY, SECONDS).await);
    }
    let measure = Measure::new(format!(
        "GET /games with the keys of {MANY} accounts in random order compared with those of {FEW}; requests/s"
    ));
    let cpu = |rounds: &[Round]| median(rounds, |it| it.cpu);
    let details = format!("CPU of the gateway a request {:.1} and {:.1} µs", cpu(&many), cpu(&few));
    report.ratio(measure, &ratios(&many, &few, |it| it.load.rate), &details);

    let (mut still, mut changing) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        still.push(keys.calls(ACTIVE, SECONDS).await);
        changing.push(keys.calls_while_keys_change().await);
    }
    let measure = Measure::new(format!(
        "p99 of GET /games with {ACTIVE} active keys, while an account is created and a key rotated each second, compared with no change"
    ));
    let lookups = |rounds: &[Round]| median(rounds, |it| it.lookups);
    let p99 = |rounds: &[Round]| median(rounds, |it| it.load.p99);
    let details = format!(
        "{:.1} and {:.1} look-ups a second in PostgreSQL; p99 {:.1} and {:.1} ms",
        lookups(&changing),
        lookups(&still),
        p99(&changing),
        p99(&still)
    );
    report.ratio(measure.required("1.1"), &ratios(&changing, &still, |it| it.load.p99), &details);
}

impl Keys {
    async fn new() -> Self {
        let bench = BenchFleet::up().await;
        let secrets: Vec<String> = (0..MANY).map(|_| guess()).collect();
        insert_accounts(&bench, &secrets).await;
        let fleet = bench.small.fleet();
        let client = reqwest::Client::new();
        let url = format!("{}/games", fleet.base_url);
        let call = async |secret: &String| {
            let answer = client.get(&url).bearer_auth(secret).send().await.unwrap();
            assert_eq!(answer.status(), 200);
        };
        stream::iter(&secrets).for_each_concurrent(AT_ONCE, call).await;
        let file = bench.small.write("keys.txt", secrets.join("\n"));
        Self { bench, fleet, file }
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
        let url = format!("{}/games", self.fleet.base_url);
        let gateway = Process::new("gateway", self.fleet.pids()["gateway"]);
        let (before, since, cpu) = (self.lookups().await, Instant::now(), gateway.cpu());
        let load = wrk::load(&Request::get(&url).with_script(&script), seconds).await;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let requests = load.requests as f64;
        let cpu = (gateway.cpu() - cpu) / requests;
        let lookups = (self.lookups().await - before) / since.elapsed().as_secs_f64();
        Round { load, cpu, lookups }
    }

    async fn calls_while_keys_change(&self) -> Round {
        let change = async {
            let mut staff = Staff::new(&self.fleet).await;
            let mut ticks = interval(Duration::from_secs(1));
            loop {
                ticks.tick().await;
                let account = staff.account("bench").await;
                let key = staff.key(&account, KeyRequest::live()).await.0;
                staff.rotate(&key).await;
            }
        };
        tokio::select! {
            round = self.calls(ACTIVE, SECONDS) => round,
            never = change => never,
        }
    }

    /// How often PostgreSQL has looked for a key by its hash.
    #[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
    async fn lookups(&self) -> f64 {
        let mut connection = PgConnection::connect(&self.fleet.database_url).await.unwrap();
        let read = "select idx_scan::double precision from pg_stat_user_indexes where indexrelname = 'key_hash'";
        // PostgreSQL's processes publish their statistics with a delay of up to a second.
        tokio::time::sleep(Duration::from_secs(2)).await;
        sqlx::query_scalar(read).fetch_one(&mut connection).await.unwrap()
    }
}

/// Inserts accounts with a live key each into the database, because creating them by staff calls would take too long.
#[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
async fn insert_accounts(bench: &BenchFleet, secrets: &[String]) {
    let insert = "with made as (
             select gen_random_uuid() as id, hash from unnest($1::bytea[]) as hash
         ), account as (
             insert into gateway.account (id, name, plan, created_at, revision)
             select id, 'bench', 'bench', now(), 1 from made returning id
         )
         insert into gateway.key
             (id, account_id, chain, hash, name, mode, kind, may_write, last4, created_at, revision)
         select made.id, account.id, made.id, hash, 'server', 'live', 'account', false, 'last', now(), 1
         from made join account using (id)";
    let hashes: Vec<Vec<u8>> = secrets.iter().map(|it| Sha256::digest(it).to_vec()).collect();
    let mut connection = PgConnection::connect(&bench.fleet.database_url).await.unwrap();
    sqlx::query(insert).bind(hashes).execute(&mut connection).await.unwrap();
}
