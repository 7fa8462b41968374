//! A fleet of a benchmark's own, and the key that it is called with.

use e2e::{Client, Fleet, KeyRequest, Process, SmallFleet, Staff};
use serde_json::Value;

use crate::collector;

/// Limits that no benchmark reaches; calls are counted against them as on every plan.
const PLAN: &str = r#"
[[plan]]
name = "bench"
title = "Bench"
calls_per_minute = 4000000000
calls_per_month = 4000000000
webhook_events = false
"#;

/// A fleet that ends with the benchmark.
pub(crate) struct BenchFleet {
    pub(crate) small: SmallFleet,
    pub(crate) fleet: Fleet,
    /// A live key whose limits nobody reaches.
    pub(crate) key: String,
}

impl BenchFleet {
    pub(crate) async fn up() -> Self {
        Self::up_with(&[]).await
    }

    /// With further settings of its services.
    pub(crate) async fn up_with(settings: &[(&str, &str)]) -> Self {
        let mut small = SmallFleet::new();
        for (name, value) in settings {
            small.set(name, value);
        }
        // As in production: lines of JSON, and traces, of which the services send their share.
        let collector = collector::start().await;
        for service in [
            "GATEWAY",
            "CATALOGUE",
            "LISTINGS",
            "ECONOMY",
            "WEBHOOK",
            "WEB",
        ] {
            small.set(&format!("{service}_OTLP_ENDPOINT"), &collector);
            small.set(&format!("{service}_LOG_FORMAT"), "json");
        }
        small.set_plan(PLAN);
        let fleet = small.up().await;
        let key = new_key(&fleet).await;
        Self { small, fleet, key }
    }

    /// A key of another account.
    pub(crate) async fn another_key(&self) -> String {
        new_key(&self.fleet).await
    }

    /// Some of its processes, services and servers.
    pub(crate) fn processes(&self, names: &[&str]) -> Vec<Process> {
        let pids = self.fleet.pids();
        let processes = names.iter().map(|name| Process::new(name, pids[*name]));
        processes.collect()
    }

    /// The rows that GET /games answers.
    pub(crate) async fn games(&self) -> Value {
        let client = Client::new(&self.fleet, &self.key);
        let answer = client.get("/games").await;
        let rows = answer.data().clone();
        assert_eq!(rows.as_array().map(Vec::len), Some(20), "{}", answer.text);
        rows
    }
}

/// A live key of a new account.
async fn new_key(fleet: &Fleet) -> String {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account("bench").await;
    staff.key(&account, KeyRequest::live()).await.1
}
