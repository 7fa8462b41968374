//! Prometheus and Alertmanager with the files of `deploy/monitoring`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use bytes::Bytes;
use e2e::{Fleet, eventually};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

use crate::containers::deploy;
use crate::ports::free_port;
use crate::promql::Selector;

pub(crate) fn folder() -> PathBuf {
    deploy("monitoring")
}

pub(crate) fn file(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// The link to the section of the runbook, with the anchor that GitHub gives the heading.
pub(crate) fn runbook_url(alert: &str) -> String {
    format!("deploy/runbook/alerts.md#{}", alert.to_lowercase())
}

/// Prometheus and Alertmanager with our files, and a receiver of alerts. They scrape and evaluate every second, and alerts fire after one.
pub(crate) struct Monitoring {
    prometheus: String,
    /// The alerts that Alertmanager has sent.
    alerts: Arc<Mutex<Vec<Value>>>,
    _programs: [Child; 2],
    _server: JoinSet<()>,
    _folder: tempfile::TempDir,
}

impl Monitoring {
    pub(crate) async fn start(fleet: &Fleet) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let alerts = Arc::<Mutex<Vec<Value>>>::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let receiver = listener.local_addr().unwrap().to_string();
        let router = Router::new().fallback(post(receive)).with_state(Arc::clone(&alerts));
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
        let rules = rules
            .lines()
            .map(|line| if line.starts_with("        for: ") { "        for: 1s" } else { line });
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

    pub(crate) async fn api(&self, path: &str, query: &[(&str, &str)]) -> Value {
        let url = format!("{}/api/v1/{path}", self.prometheus);
        let request = reqwest::Client::new().get(url).query(query);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(answer["status"], "success", "{path} {query:?}: {answer}");
        answer["data"].clone()
    }

    /// The names and expressions of all rules.
    pub(crate) async fn rules(&self) -> Vec<(String, String)> {
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

    /// Whether the metric has a series with all these labels.
    pub(crate) async fn has(&self, (metric, labels): &Selector) -> bool {
        let labels: Vec<String> = labels.iter().map(|it| format!("{it}!=\"\"")).collect();
        let query = format!("count({metric}{{{}}})", labels.join(","));
        let found = self.api("query", &[("query", &query)]).await;
        !found["result"].as_array().unwrap().is_empty()
    }

    /// Waits until Alertmanager has sent an alert about a service, with the link to its section.
    pub(crate) async fn assert_fires(&self, alert: &str, service: Option<&str>) {
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

/// Our configuration of Prometheus for this Alertmanager, without the lookups of containers by DNS.
fn scrapes(alertmanager: &str) -> String {
    let config = file("prometheus.yml");
    let (before, rest) = config.split_once("    dns_sd_configs:\n").unwrap();
    let (_, after) = rest.split_once("    file_sd_configs:\n").unwrap();
    format!("{before}    file_sd_configs:\n{after}")
        .replace("_interval: 15s", "_interval: 1s")
        .replace("alertmanager:9093", alertmanager)
}

/// The file of targets for the processes of the fleet, as on hosts.
fn targets(fleet: &Fleet) -> String {
    let mut services: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for process in &fleet.services {
        let address =
            process.metrics.strip_prefix("http://").unwrap().strip_suffix("/metrics").unwrap();
        services.entry(&process.name).or_default().push(address);
    }
    let groups = services.iter().map(|(service, addresses)| {
        format!("- labels: {{service: {service}}}\n  targets: {addresses:?}\n")
    });
    groups.collect()
}

/// Starts a program that serves HTTP on a free port; returns it with its address.
async fn start(program: &str, args: &[String]) -> (Child, String) {
    eventually(&format!("{program} is ready"), async || {
        // Another test may take the port first. The program then exits, and is started on another port.
        let address = free_port().to_string();
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
