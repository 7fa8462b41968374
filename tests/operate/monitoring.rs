//! Metrics, alerts and dashboards, with Prometheus and Alertmanager.
