//! Metrics, alerts and dashboards, with Prometheus and Alertmanager.
#![expect(
    clippy::disallowed_methods,
    reason = "a test looks at tables, and changes one"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use bytes::Bytes;
use e2e::{Fleet, Paused, SmallFleet, Staff, eventually};
use futures::future::join_all;
use http::StatusCode;
use nix::unistd::Pid;
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

use crate::hook::Hook;

/// How an alert is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// `rules_test.yml` has it.
    Promtool,
    /// [`alerts_fire_and_every_metric_exists`] makes it fire.
    Fires,
}

/// Every alert, and how it is tested.
const ALERTS: [(&str, Proof); 16] = [
    ("ApiErrors", Proof::Fires),
    ("ApiSlow", Proof::Promtool),
    ("BackupTooOld", Proof::Promtool),
    ("CertificateExpires", Proof::Promtool),
    ("DatabasePoolExhausted", Proof::Promtool),
    ("DeadLetters", Proof::Fires),
    ("DeliveryFaults", Proof::Promtool),
    ("DiskFull", Proof::Promtool),
    ("FeedLag", Proof::Promtool),
    ("MailsWait", Proof::Promtool),
    ("NoLeader", Proof::Promtool),
    ("OldestDueDelivery", Proof::Fires),
    ("ProcessRestarts", Proof::Promtool),
    ("RedisAway", Proof::Promtool),
    ("ServiceDown", Proof::Fires),
    ("SiteErrors", Proof::Promtool),
];

/// Metrics that a fleet of the launcher does not have.
const ELSEWHERE: [(&str, &str); 4] = [
    ("tls_certificate_expires_seconds", "there is no TLS in it"),
    (
        "backup_last_success_timestamp_seconds",
        "the script of backups writes it for node-exporter",
    ),
    ("node_filesystem_avail_bytes", "of node-exporter"),
    ("node_filesystem_size_bytes", "of node-exporter"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/monitoring")
}

fn file(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

#[tokio::test]
async fn the_files_are_valid_and_their_tests_pass() {
    for command in [
        ["promtool", "check", "config", "prometheus.yml"],
        ["promtool", "check", "rules", "rules.yml"],
        ["promtool", "test", "rules", "rules_test.yml"],
    ] {
        run(&command).await;
    }
    run(&["amtool", "check-config", "alertmanager.yml"]).await;
}

async fn run(command: &[&str]) {
    let (program, args) = command.split_first().unwrap();
    let mut process = Command::new(program);
    process.args(args).current_dir(folder());
    let output = process.output().await.unwrap();
    let (said, complained) = (output.stdout, output.stderr);
    let said = String::from_utf8_lossy(&said);
    let complained = String::from_utf8_lossy(&complained);
    assert!(output.status.success(), "{command:?}: {said}{complained}");
}

#[test]
fn every_alert_has_a_paragraph_and_a_test() {
    let (rules, tests, runbook) = (
        file("rules.yml"),
        file("rules_test.yml"),
        file("../runbook/alerts.md"),
    );
    let names = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    let names: BTreeSet<&str> = names.collect();
    let listed: BTreeSet<&str> = ALERTS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, listed);
    let sections = runbook.lines().filter_map(|line| line.strip_prefix("## "));
    let sections: BTreeSet<&str> = sections.collect();
    assert_eq!(names, sections, "the sections of the runbook");
    for (name, proof) in ALERTS {
        let (tested, fired) = (
            format!("alertname: {name}\n"),
            format!("alertname: {name},"),
        );
        let is_tested = tests.contains(&tested) || tests.contains(&fired);
        assert!(is_tested || proof == Proof::Fires, "{name} has no test");
        let link = format!("runbook_url: {}\n", runbook_url(name));
        let alerts = rules.matches(&format!("- alert: {name}\n")).count();
        assert_eq!(rules.matches(&link).count(), alerts, "links of {name}");
    }
}

fn runbook_url(alert: &str) -> String {
    format!("deploy/runbook/alerts.md#{alert}")
}

/// A metric that an expression reads, and the labels by which it selects series.
type Selector = (String, BTreeSet<String>);

/// The metrics that an expression of `PromQL` reads.
fn selectors(expression: &str) -> BTreeSet<Selector> {
    const CLAUSES: [&str; 6] = [
        "by",
        "without",
        "on",
        "ignoring",
        "group_left",
        "group_right",
    ];
    const OPERATORS: [&str; 5] = ["and", "or", "unless", "bool", "offset"];
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let (mut found, mut rest) = (BTreeSet::new(), expression);
    while let Some(first) = rest.chars().next() {
        if first == '[' {
            rest = rest.split_once(']').unwrap().1;
            continue;
        }
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end.max(first.len_utf8()));
        rest = after.trim_start();
        if end == 0 || first.is_ascii_digit() || OPERATORS.contains(&name) {
            continue;
        }
        if CLAUSES.contains(&name) {
            if rest.starts_with('(') {
                rest = rest.split_once(')').unwrap().1;
            }
        } else if let Some(matchers) = rest.strip_prefix('{') {
            let (matchers, after) = matchers.split_once('}').unwrap();
            // Every second part is a value.
            let labels = matchers.split('"').step_by(2);
            let labels = labels.map(|label| label.trim_matches(|c: char| !is_name(c)).to_owned());
            let labels = labels.filter(|label| !label.is_empty()).collect();
            found.insert((name.to_owned(), labels));
            rest = after;
        } else if !["(", "by", "without"]
            .iter()
            .any(|it| rest.starts_with(*it))
        {
            // Neither a function nor an aggregation.
            found.insert((name.to_owned(), BTreeSet::new()));
        }
    }
    found
}

#[test]
fn the_metrics_of_an_expression_are_found() {
    let expression = r#"topk(5, histogram_quantile(0.99, sum by (route, le) (rate(a_bucket{x="y",le=~"5.."}[5m]))))
        / on (instance) group_left () b:c > 1.5 * 60 or absent(d) and e == bool 3"#;
    let found = selectors(expression);
    let found = found.iter().map(|(name, labels)| {
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        (name.as_str(), labels)
    });
    let expected = [
        ("a_bucket", vec!["le", "x"]),
        ("b:c", vec![]),
        ("d", vec![]),
        ("e", vec![]),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

/// The expressions of all panels, by title.
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

/// Prometheus and Alertmanager with our files, which scrape and evaluate each second and do not wait, and a receiver of alerts.
struct Monitoring {
    prometheus: String,
    /// The alerts that Alertmanager has sent.
    alerts: Arc<Mutex<Vec<Value>>>,
    _programs: [Child; 2],
    _server: JoinSet<()>,
    _folder: tempfile::TempDir,
}

impl Monitoring {
    async fn start(fleet: &Fleet) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let alerts = Arc::<Mutex<Vec<Value>>>::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = listener.local_addr().unwrap().to_string();
        let router = Router::new()
            .fallback(post(receive))
            .with_state(Arc::clone(&alerts));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });

        let config = file("alertmanager.yml")
            .replace("127.0.0.1:9094", &receiver)
            .replace("group_wait: 30s", "group_wait: 0s")
            .replace("group_interval: 5m", "group_interval: 1s");
        std::fs::write(path("alertmanager.yml"), config).unwrap();
        let args = [
            format!("--config.file={}", path("alertmanager.yml")),
            format!("--storage.path={}", path("alertmanager")),
            "--cluster.listen-address=".to_owned(),
        ];
        let (alertmanager, address) = start("prometheus-alertmanager", &args).await;

        std::fs::write(path("prometheus.yml"), scrapes(&address)).unwrap();
        let rules = file("rules.yml");
        let rules = rules.lines().map(|line| {
            if line.starts_with("        for: ") {
                "        for: 1s"
            } else {
                line
            }
        });
        let rules: Vec<&str> = rules.collect();
        std::fs::write(path("rules.yml"), rules.join("\n")).unwrap();
        std::fs::create_dir(path("targets")).unwrap();
        std::fs::write(path("targets/fleet.yml"), targets(fleet)).unwrap();
        let args = [
            format!("--config.file={}", path("prometheus.yml")),
            format!("--storage.tsdb.path={}", path("prometheus")),
        ];
        let (prometheus, address) = start("prometheus", &args).await;
        Self {
            prometheus: format!("http://{address}"),
            alerts,
            _programs: [alertmanager, prometheus],
            _server: server,
            _folder: folder,
        }
    }

    async fn api(&self, path: &str, query: &[(&str, &str)]) -> Value {
        let url = format!("{}/api/v1/{path}", self.prometheus);
        let request = reqwest::Client::new().get(url).query(query);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(answer["status"], "success", "{path} {query:?}: {answer}");
        answer["data"].clone()
    }

    /// The expressions of all rules, by name.
    async fn rules(&self) -> Vec<(String, String)> {
        let groups = self.api("rules", &[]).await;
        let groups = groups["groups"].as_array().unwrap().iter();
        let rules = groups.flat_map(|group| group["rules"].as_array().unwrap());
        let rules = rules.map(|rule| {
            assert_ne!(rule["health"], "err", "{rule}");
            let text = |key: &str| rule[key].as_str().unwrap().to_owned();
            (text("name"), text("query"))
        });
        rules.collect()
    }

    /// Whether a series of the metric has all these labels.
    async fn has(&self, (metric, labels): &Selector) -> bool {
        let labels: Vec<String> = labels.iter().map(|it| format!("{it}!=\"\"")).collect();
        let query = format!("count({metric}{{{}}})", labels.join(","));
        let found = self.api("query", &[("query", &query)]).await;
        !found["result"].as_array().unwrap().is_empty()
    }

    /// Waits until Alertmanager has sent an alert about a service, with the link to its paragraph.
    async fn assert_fires(&self, alert: &str, service: Option<&str>) {
        eventually(&format!("{alert} arrives"), async || {
            let alerts = self.alerts.lock().unwrap();
            let found = alerts.iter().find(|one| {
                let labels = &one["labels"];
                labels["alertname"] == alert
                    && service.is_none_or(|service| labels["service"] == service)
            })?;
            assert_eq!(found["annotations"]["runbook_url"], runbook_url(alert));
            Some(())
        })
        .await;
    }
}

async fn receive(State(alerts): State<Arc<Mutex<Vec<Value>>>>, body: Bytes) {
    let sent: Value = serde_json::from_slice(&body).unwrap();
    let firing = sent["alerts"].as_array().unwrap().iter();
    let firing = firing.filter(|alert| alert["status"] == "firing");
    alerts.lock().unwrap().extend(firing.cloned());
}

/// Our configuration of Prometheus, with this Alertmanager. The names of containers are not looked up.
fn scrapes(alertmanager: &str) -> String {
    let config = file("prometheus.yml");
    let (before, rest) = config.split_once("    dns_sd_configs:\n").unwrap();
    let (_, after) = rest.split_once("    file_sd_configs:\n").unwrap();
    format!("{before}    file_sd_configs:\n{after}")
        .replace("_interval: 15s", "_interval: 1s")
        .replace("alertmanager:9093", alertmanager)
}

/// The file of the fleet's processes, as on hosts.
fn targets(fleet: &Fleet) -> String {
    let mut services: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for process in &fleet.services {
        let address = process.metrics.strip_prefix("http://").unwrap();
        let address = address.strip_suffix("/metrics").unwrap();
        services.entry(&process.name).or_default().push(address);
    }
    let groups = services.iter().map(|(service, addresses)| {
        format!("- labels: {{service: {service}}}\n  targets: {addresses:?}\n")
    });
    groups.collect()
}

/// Starts a program that serves HTTP at a free port; returns it with its address.
async fn start(program: &str, args: &[String]) -> (Child, String) {
    eventually(&format!("{program} is ready"), async || {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = free.local_addr().unwrap().to_string();
        // Another test may take the port: then the program ends, and gets another one.
        drop(free);
        let mut command = Command::new(program);
        command.args(args);
        command.arg(format!("--web.listen-address={address}"));
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let ready = format!("http://{address}/-/ready");
        while child.try_wait().unwrap().is_none() {
            let answer = reqwest::get(&ready).await;
            if answer.is_ok_and(|answer| answer.status() == 200) {
                return Some((child, address));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        None
    })
    .await
}

#[tokio::test]
async fn alerts_fire_and_every_metric_exists() {
    let hook = Hook::start(StatusCode::SERVICE_UNAVAILABLE).await;
    let mut small = SmallFleet::new();
    small.set("WEBHOOK_ALLOW", &format!("http://{}", hook.address));
    let fleet = small.up().await;
    let monitoring = Monitoring::start(&fleet).await;
    let account = Staff::of(&fleet).await.account("partner").await;
    hook.subscribe(&fleet, &account).await;
    use_everything(&small, &fleet).await;
    hook.first().await;
    every_metric_exists(&monitoring).await;
    dead_letters_fire(&small, &fleet, &monitoring).await;
    oldest_due_delivery_fires(&fleet, &monitoring).await;
    errors_fire(&fleet, &monitoring).await;
}

/// A little of everything: an API call, a page, a write and a delivery.
async fn use_everything(small: &SmallFleet, fleet: &Fleet) {
    read(fleet, 0).await;
    let page = reqwest::get(format!("{}games", fleet.dashboard_url)).await;
    assert_eq!(page.unwrap().status(), 200);
    let announced = ["announced".to_owned()];
    small.import_games(&announced, &["--announce"]).await;
}

/// Calls the API; a different path each time, since the gateway keeps responses.
async fn read(fleet: &Fleet, number: usize) {
    let url = format!("{}/games?q=game{number}", fleet.base_url);
    let key = &fleet.account("partner").keys.live;
    let call = reqwest::Client::new().get(url).bearer_auth(key);
    call.send().await.unwrap();
}

async fn every_metric_exists(monitoring: &Monitoring) {
    let mut read = panels();
    read.extend(monitoring.rules().await);
    assert!(read.len() > 60, "{read:?}");
    for (place, expression) in read {
        // Prometheus understands it.
        monitoring.api("query", &[("query", &expression)]).await;
        for selector in selectors(&expression) {
            let is_elsewhere = ELSEWHERE.iter().any(|(name, _why)| *name == selector.0);
            if !is_elsewhere {
                let what = format!("there is {selector:?}, which \"{place}\" reads: {expression}");
                eventually(&what, async || {
                    monitoring.has(&selector).await.then_some(())
                })
                .await;
            }
        }
    }
}

/// PostgreSQL refuses a change in webhook-svc.
async fn dead_letters_fire(small: &SmallFleet, fleet: &Fleet, monitoring: &Monitoring) {
    let mut database = PgConnection::connect(&fleet.database_url).await.unwrap();
    let refuse = "alter table webhook.listing add constraint refused check (slug <> 'refused')";
    sqlx::raw_sql(refuse).execute(&mut database).await.unwrap();
    small.import_games(&["refused".to_owned()], &[]).await;
    let fires = monitoring.assert_fires("DeadLetters", Some("webhook-svc"));
    fires.await;
    let listed = small.staff(&["dead-letter", "list"]).await;
    assert!(listed.contains("webhook"), "as the runbook says: {listed}");
}

/// The delivery that failed is due in an hour, and nobody can take it.
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

/// catalogue-svc neither answers Prometheus nor the gateway.
async fn errors_fire(fleet: &Fleet, monitoring: &Monitoring) {
    let pid = fleet.service("catalogue-svc").pid.unwrap();
    let paused = Paused::process(Pid::from_raw(pid));
    let failing = async {
        for round in 1.. {
            join_all((0..10).map(|call| read(fleet, 10 * round + call))).await;
        }
    };
    let firing = async {
        monitoring
            .assert_fires("ServiceDown", Some("catalogue-svc"))
            .await;
        monitoring.assert_fires("ApiErrors", None).await;
    };
    tokio::select! {
        () = failing => {}
        () = firing => {}
    }
    drop(paused);
}
