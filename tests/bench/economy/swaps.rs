//! `GET /economy/currencies` while a swap is recorded each second, with five million swaps of the last 30 days and with none. A swap
//! makes a new version of the economy, which the next read computes.

use std::time::Duration;

use contracts::economy::v1::exchange_service_client::ExchangeServiceClient;
use contracts::economy::v1::{RecordSwapRequest, Swap};
use e2e::{Fleet, SmallFleet, Staff, dial};
use kit::rpc::client::Client;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::time::{Instant, interval};

use super::games::Games;
use crate::http1::{Connection, Target};
use crate::results::{Measure, Report};
use crate::side::median;

const CURRENCIES: usize = 30;
const SWAPS: u32 = 5_000_000;
/// Reads, each of which follows a swap.
const READS: usize = 60;
const PAUSE: Duration = Duration::from_secs(1);
/// The deadline of a read, in milliseconds.
const DEADLINE: &str = "2000";

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    small.set("ECONOMY_REPORT_INTERVAL", "0");
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let mut games = Games::open(&fleet, "unlimited").await;
    games.grow(&fleet, CURRENCIES).await;
    games.report_all(&fleet).await;
    let key = games.key(&fleet).await;
    let token = Staff::of(&fleet).await.exchange("bench-exchange").await;
    let address = fleet.service("economy-svc").exchange.as_ref().unwrap();
    let channel = dial(address, &token.into()).await;
    let mut reader = Reader {
        exchange: ExchangeServiceClient::new(channel),
        currencies: Target::get(&fleet, "/economy/currencies", &key),
        recorded: 0,
    };
    reader.measure(report, "none").await;
    fill(&fleet).await;
    reader.measure(report, "5 million").await;
}

/// Records swaps, and reads the currencies after each of them.
struct Reader {
    exchange: ExchangeServiceClient<Client>,
    currencies: Target,
    /// The swaps so far.
    recorded: u32,
}

impl Reader {
    async fn measure(&mut self, report: &mut Report, swaps: &str) {
        let mut connection = Connection::open(&self.currencies).await.unwrap();
        let mut seconds = interval(PAUSE);
        let (mut times, mut failed) = (Vec::new(), 0);
        for _ in 0..READS {
            seconds.tick().await;
            self.record().await;
            let start = Instant::now();
            connection.send(&self.currencies).await.unwrap();
            let answer = connection.answer().await.unwrap();
            times.push(start.elapsed().as_secs_f64() * 1e3);
            failed += u32::from(answer.status != 200);
        }
        let measure = |what: &str| {
            Measure::new(format!(
                "GET /economy/currencies after each of {READS} swaps, one a second, with earlier swaps of the last 30 days: {swaps}; {what}"
            ))
        };
        let slowest = times.iter().copied().fold(0.0, f64::max);
        let middle = median(&times, |time| *time);
        let measures = [
            (measure("slowest, ms").required(DEADLINE), slowest),
            (measure("median, ms"), middle),
        ];
        for (measure, time) in measures {
            report.figure(measure, format!("{time:.1}"), "");
        }
        let failures = measure("responses other than 200").required("0");
        report.figure(failures, failed.to_string(), "");
    }

    async fn record(&mut self) {
        let swap = Swap {
            id: format!("swap-{}", self.recorded),
            party: format!("party-{}", self.recorded % 7),
            from: "bench-0".to_owned(),
            to: "bench-1".to_owned(),
            gave: 300,
            got: 500,
            at: None,
        };
        let request = RecordSwapRequest { swap: Some(swap) };
        self.exchange.record_swap(request).await.unwrap();
        self.recorded += 1;
    }
}

/// Fills the schema as so many imported swaps between all currencies leave it, without their entries of the ledger, which no figure of a
/// currency needs.
#[expect(
    clippy::disallowed_methods,
    reason = "the benchmarks have no schema of their own"
)]
async fn fill(fleet: &Fleet) {
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let fill = format!(
        "set work_mem = '256MB';
         create temp table coin as select row_number() over (order by game_id) - 1 as n, game_id from economy.currency;
         insert into economy.swap (id, at, party, from_game, to_game, gave, got, recorded_at)
             select 'bench ' || made.n, at, 'party ' || made.n % 1000, one.game_id, other.game_id, 100 + made.n % 1000,
                 200 + made.n % 1000, at
             from (
                 select n, now() - random() * interval '30 days' as at, n % coins as one,
                     (n % coins + 1 + n / coins % (coins - 1)) % coins as other
                 from generate_series(1, {SWAPS}) as n, (select count(*) as coins from coin) as counted
             ) as made
             join coin as one on one.n = made.one
             join coin as other on other.n = made.other;
         insert into economy.swap_hour as sums (from_game, to_game, hour_end, swaps, gave, got, first_party, last_party, last)
             select from_game, to_game, economy.hour_end(at), count(*), sum(gave), sum(got), min(exchange || ' ' || party collate \"C\"),
                 max(exchange || ' ' || party collate \"C\"), max(at)
             from economy.swap where id like 'bench %' group by 1, 2, 3
             on conflict (from_game, to_game, hour_end) do update set swaps = sums.swaps + excluded.swaps,
                 gave = sums.gave + excluded.gave, got = sums.got + excluded.got, last = greatest(sums.last, excluded.last),
                 first_party = least(sums.first_party, excluded.first_party),
                 last_party = greatest(sums.last_party, excluded.last_party);
         drop table coin"
    );
    sqlx::raw_sql(AssertSqlSafe(fill))
        .execute(&mut connection)
        .await
        .unwrap();
    sqlx::raw_sql("vacuum analyze economy.swap, economy.swap_hour")
        .execute(&mut connection)
        .await
        .unwrap();
}
