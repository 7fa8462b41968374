//! The readiness of services, and the conditions that are missing.

use crate::ports;
use crate::services::Instance;

/// Checks that a process is ready; the error says what is missing.
pub(crate) fn readiness(instance: &Instance) -> Result<(), String> {
    ready_at(&instance.entry(None).ready)
}

/// Checks the readiness page of a process; the error says what is missing.
pub(crate) fn ready_at(page: &str) -> Result<(), String> {
    match ports::get(page) {
        None => Err("does not answer".to_owned()),
        Some(response) if response.status == 200 => Ok(()),
        Some(response) => Err(missing(&response.body)),
    }
}

/// `{"ready":false,"missing":["postgres"]}` → `waiting for postgres`.
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
        format!("waiting for {}", missing.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_conditions_are_named() {
        assert_eq!(
            missing(r#"{"ready":false,"missing":["postgres","feed"]}"#),
            "waiting for postgres, feed"
        );
        assert_eq!(missing("nonsense"), "not ready");
    }
}
