//! A fleet for one benchmark, a key to call it, and its transactions without calls.

use std::time::Duration;

use e2e::{Client, Fleet, KeyRequest, Process, SmallFleet, Staff};
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use tokio::time::sleep;

use crate::collector;

/// The pause after the start, in which followers and jobs finish their first work.
pub(crate) const REST: Duration = Duration::from_secs(20);
/// How long transactions are counted, in seconds.
const IDLE: u32 = 30;

/// Limits that no benchmark reaches. Calls still count against them.
const PLAN: &str = r#"
[[plan]]
name = "bench"
title = "Bench"
calls_per_minute = 4000000000
calls_per_month = 4000000000
webhook_events = false
"#;

pub(crate) struct BenchFleet {
    pub(crate) small: SmallFleet,
    pub(crate) fleet: Fleet,
    /// A live key on the plan `bench`.
    pub(crate) key: String,
}

impl BenchFleet {
    pub(crate) async fn up() -> Self {
        Self::up_with(&[], &[]).await
    }

    /// A fleet with settings of services and options of the launcher.
    pub(crate) async fn up_with(settings: &[(&str, &str)], options: &[&str]) -> Self {
        let mut small = SmallFleet::new();
        for (name, value) in settings {
            small.set(name, value);
        }
        // As in production, services log in JSON and send their share of traces.
        let collector = collector::start().await;
        for service in ["GATEWAY", "CATALOGUE", "LISTINGS", "ECONOMY", "WEBHOOK", "WEB"] {
            small.set(&format!("{service}_OTLP_ENDPOINT"), &collector);
            small.set(&format!("{service}_LOG_FORMAT"), "json");
        }
        small.set_plan(PLAN);
        let fleet = small.up_with(options).await;
        let mut staff = Staff::new(&fleet).await;
        let account = staff.account("bench").await;
        let key = staff.key(&account, KeyRequest::live()).await.1;
        Self { small, fleet, key }
    }

    pub(crate) fn processes(&self, names: &[&str]) -> Vec<Process> {
        let pids = self.fleet.pids();
        let processes = names.iter().map(|name| Process::new(name, pids[*name]));
        processes.collect()
    }

    pub(crate) async fn games(&self) -> Value {
        let client = Client::new(&self.fleet, &self.key);
        let answer = client.get("/games").await;
        let rows = answer.data().clone();
        assert_eq!(rows.as_array().map(Vec::len), Some(20), "{}", answer.text);
        rows
    }
}

/// Transactions per second in PostgreSQL while nothing calls the fleet. Most have one statement.
pub(crate) async fn idle_transactions(fleet: &Fleet) -> f64 {
    sleep(REST).await;
    let before = transactions(fleet).await;
    sleep(Duration::from_secs(IDLE.into())).await;
    (transactions(fleet).await - before) / f64::from(IDLE)
}

/// How many transactions PostgreSQL has ended.
#[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
async fn transactions(fleet: &Fleet) -> f64 {
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let read = "select (xact_commit + xact_rollback)::double precision from pg_stat_database where datname = current_database()";
    sqlx::query_scalar(read).fetch_one(&mut connection).await.unwrap()
}
