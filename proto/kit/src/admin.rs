//! The admin port: `/healthz`, `/readyz` and `/metrics`. The gRPC health service uses the same readiness.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Router, response};
use metrics_exporter_prometheus::PrometheusHandle;
use parking_lot::Mutex;
use tokio::sync::watch;

/// The readiness of a process: ready when all conditions are met. Clones share it.
#[derive(Clone, Debug)]
pub struct Readiness {
    /// What each condition that is not met waits for.
    conditions: Arc<Mutex<BTreeMap<&'static str, Option<String>>>>,
    ready: Arc<watch::Sender<bool>>,
}

/// One condition of a [`Readiness`].
#[derive(Clone, Debug)]
pub struct Condition {
    name: &'static str,
    readiness: Readiness,
}

impl Default for Readiness {
    fn default() -> Self {
        Self { conditions: Arc::default(), ready: Arc::new(watch::Sender::new(true)) }
    }
}

impl Readiness {
    /// Adds a condition that is not met yet. `name` completes the sentence "waiting for …".
    pub fn condition(&self, name: &'static str) -> Condition {
        let condition = Condition { name, readiness: self.clone() };
        condition.set(false);
        condition
    }

    /// What the process waits for: the names of the conditions that are not met, or what is wrong with them.
    pub fn missing(&self) -> Vec<String> {
        let conditions = self.conditions.lock();
        conditions.values().flatten().cloned().collect()
    }

    /// Watches whether all conditions are met.
    pub fn watch(&self) -> watch::Receiver<bool> {
        self.ready.subscribe()
    }
}

impl Condition {
    /// Sets whether the condition is met.
    pub fn set(&self, met: bool) {
        self.update((!met).then(|| self.name.to_owned()));
    }

    /// The condition is not met, for this reason.
    pub fn fail(&self, reason: String) {
        self.update(Some(reason));
    }

    fn update(&self, missing: Option<String>) {
        let ready = {
            let mut conditions = self.readiness.conditions.lock();
            conditions.insert(self.name, missing);
            conditions.values().all(Option::is_none)
        };
        self.readiness.ready.send_if_modified(|current| {
            let changed = *current != ready;
            *current = ready;
            changed
        });
    }
}

#[derive(Clone)]
struct Admin {
    readiness: Readiness,
    metrics: PrometheusHandle,
}

/// The routes of the admin port.
pub(crate) fn router(readiness: Readiness, metrics: PrometheusHandle) -> Router {
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(readyz))
        .route("/metrics", get(render_metrics))
        .with_state(Admin { readiness, metrics })
}

async fn readyz(State(admin): State<Admin>) -> response::Response {
    let missing = admin.readiness.missing();
    let status = if missing.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = serde_json::json!({ "ready": missing.is_empty(), "missing": missing }).to_string();
    (status, [("content-type", "application/json")], body).into_response()
}

async fn render_metrics(State(admin): State<Admin>) -> response::Response {
    let text = admin.metrics.render();
    ([("content-type", "text/plain; version=0.0.4")], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_ready_when_all_conditions_are_met() {
        let readiness = Readiness::default();
        let watch = readiness.watch();
        assert!(*watch.borrow());
        let loaded = readiness.condition("the catalogue to be loaded");
        let served = readiness.condition("the port to be open");
        served.set(true);
        assert!(!*watch.borrow());
        assert_eq!(readiness.missing(), ["the catalogue to be loaded"]);
        loaded.set(true);
        assert!(*watch.borrow());
        loaded.set(false);
        assert!(!*watch.borrow());
    }
}
