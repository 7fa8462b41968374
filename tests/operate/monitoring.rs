//! Metrics, alerts and dashboards, with Prometheus and Alertmanager.
#![expect(clippy::disallowed_methods, reason = "a test looks at tables, and changes one")]

use std::collections::BTreeSet;

use e2e::{Client, Fleet, Receiver, SmallFleet, eventually};
use http::StatusCode;
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use tokio::process::Command;

use crate::containers::run;
use crate::prometheus::{Monitoring, file, folder, runbook_url};
use crate::promql::selectors;

/// Metrics that a fleet of the launcher does not have, with the reason.
const ELSEWHERE: [(&str, &str); 6] = [
    ("tls_certificate_expires_seconds", "there is no TLS in it"),
    ("backup_last_success_timestamp_seconds", "the script of backups writes it for node-exporter"),
    ("node_filesystem_avail_bytes", "of node-exporter"),
    ("node_filesystem_size_bytes", "of node-exporter"),
    ("probe_ssl_earliest_cert_expiry", "of blackbox-exporter"),
    ("feed_changes_refused_total", "no change is refused in it"),
];

#[tokio::test]
#[ignore = "long: promtool"]
async fn the_files_are_valid_and_their_tests_pass() {
    for args in [
        ["check", "config", "prometheus.yml"],
        ["check", "rules", "rules.yml"],
        ["test", "rules", "rules_test.yml"],
    ] {
        run(Command::new("promtool").args(args).current_dir(folder())).await;
    }
    let args = ["check-config", "alertmanager.yml"];
    run(Command::new("amtool").args(args).current_dir(folder())).await;
}

#[test]
fn every_alert_has_a_paragraph_and_a_test() {
    let (rules, tests, runbook) =
        (file("rules.yml"), file("rules_test.yml"), file("../runbook/alerts.md"));
    let names: BTreeSet<&str> =
        rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    let sections: BTreeSet<&str> =
        runbook.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(names, sections, "the sections of the runbook");
    for name in names {
        let (tested, fired) = (format!("alertname: {name}\n"), format!("alertname: {name},"));
        let is_tested = tests.contains(&tested) || tests.contains(&fired);
        assert!(is_tested, "{name} has no test");
        let link = format!("runbook_url: {}\n", runbook_url(name));
        let alerts = rules.matches(&format!("- alert: {name}\n")).count();
        assert_eq!(rules.matches(&link).count(), alerts, "links of {name}");
    }
}

/// The expressions of all panels, with their titles.
fn panels() -> Vec<(String, String)> {
    let mut expressions = Vec::new();
    for name in ["grafana/people.json", "grafana/machines.json"] {
        let dashboard: Value = serde_json::from_str(&file(name)).unwrap();
        for panel in dashboard["panels"].as_array().unwrap() {
            let title = panel["title"].as_str().unwrap();
            for target in panel["targets"].as_array().unwrap() {
                let expression = target["expr"].as_str().unwrap();
                expressions.push((title.to_owned(), expression.to_owned()));
            }
        }
    }
    expressions
}

#[tokio::test]
#[ignore = "long: waits until alerts fire"]
async fn alerts_fire_and_every_metric_exists() {
    let receiver = Receiver::that_answers(StatusCode::SERVICE_UNAVAILABLE).await;
    let mut small = SmallFleet::new();
    small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
    let fleet = small.up().await;
    let monitoring = Monitoring::start(&fleet).await;
    let events = ["listing.published", "listing.updated"];
    receiver.subscribe(&fleet, &events).await;
    use_everything(&small, &fleet).await;
    receiver.first().await;
    every_metric_exists(&monitoring).await;
    changes_refused_fires(&small, &fleet, &monitoring).await;
    oldest_due_delivery_fires(&fleet, &monitoring).await;
}

/// A bit of everything: an API call, a page, a write and a delivery.
async fn use_everything(small: &SmallFleet, fleet: &Fleet) {
    let key = &fleet.account("partner").keys.live;
    Client::new(fleet, key).get("/games").await;
    let page = reqwest::get(format!("{}games", fleet.dashboard_url)).await;
    assert_eq!(page.unwrap().status(), 200);
    let announced = ["announced".to_owned()];
    small.announce_games(&announced).await;
}

async fn every_metric_exists(monitoring: &Monitoring) {
    let mut read = panels();
    read.extend(monitoring.rules().await);
    assert!(read.len() > 50, "{read:?}");
    for (place, expression) in read {
        // Prometheus accepts the expression.
        monitoring.api("query", &[("query", &expression)]).await;
        for selector in selectors(&expression) {
            let is_elsewhere = ELSEWHERE.iter().any(|(name, _why)| *name == selector.0);
            if !is_elsewhere {
                let what = format!("there is {selector:?}, which \"{place}\" reads: {expression}");
                eventually(&what, async || monitoring.has(&selector).await.then_some(())).await;
            }
        }
    }
}

/// PostgreSQL rejects a change in webhook-svc.
async fn changes_refused_fires(small: &SmallFleet, fleet: &Fleet, monitoring: &Monitoring) {
    let mut database = PgConnection::connect(&fleet.database_url).await.unwrap();
    let refuse =
        "alter table webhook.listing add constraint refused check (kind <> 'game') not valid";
    sqlx::raw_sql(refuse).execute(&mut database).await.unwrap();
    small.import_games(&["refused".to_owned()]).await;
    let fires = monitoring.assert_fires("ChangesRefused", Some("webhook-svc"));
    fires.await;
}

/// The failed delivery is due in an hour, and nobody can claim its endpoint.
async fn oldest_due_delivery_fires(fleet: &Fleet, monitoring: &Monitoring) {
    let mut database = PgConnection::connect(&fleet.database_url).await.unwrap();
    let lock = "select endpoint_id from webhook.queue
        where due_at is not null and leased_until is null for update";
    let what = "the endpoint waits for its next attempt, and is locked";
    let mut transaction = database.begin().await.unwrap();
    eventually(what, async || {
        let locked = sqlx::query(lock).fetch_all(&mut *transaction).await;
        (!locked.unwrap().is_empty()).then_some(())
    })
    .await;
    std::fs::write(&fleet.clock_file, "+3600").unwrap();
    monitoring.assert_fires("OldestDueDelivery", None).await;
    transaction.rollback().await.unwrap();
}
