//! Whether services are ready, and what they wait for.

use crate::ports;
use crate::services::Instance;

/// Whether a process is ready; if not, what is missing.
pub(crate) fn readiness(instance: &Instance) -> Result<(), String> {
    ready_at(&instance.entry(None).ready)
}

/// Whether the process with that readiness page is ready; if not, what is missing.
pub(crate) fn ready_at(page: &str) -> Result<(), String> {
    match ports::get(page) {
        None => Err("does not answer".to_owned()),
        Some(answer) if answer.status == 200 => Ok(()),
        Some(answer) => Err(missing(&answer.body)),
    }
}

/// `{"ready":false,"missing":["postgres"]}` → `waits for postgres`.
fn missing(body: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let missing: Vec<&str> = value
        .get("missing")
        .and_then(|missing| missing.as_array())
        .map(|missing| {
            missing
                .iter()
                .filter_map(serde_json::Value::as_str)
                .collect()
        })
        .unwrap_or_default();
    if missing.is_empty() {
        "not ready".to_owned()
    } else {
        format!("waits for {}", missing.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        assert_eq!(
            missing(r#"{"ready":false,"missing":["postgres","feed"]}"#),
            "waits for postgres, feed"
        );
        assert_eq!(missing("nonsense"), "not ready");
    }
}
