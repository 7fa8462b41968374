//! The readiness of services, and the conditions that are missing.

use serde::Deserialize;

use crate::services::Instance;

/// Seconds that a readiness page has to answer.
const TIMEOUT: u64 = 2;

/// A readiness page.
#[derive(Default, Deserialize)]
struct Page {
    missing: Vec<String>,
}

/// Checks that a process is ready; the error says what is missing.
pub(crate) fn readiness(instance: &Instance) -> Result<(), String> {
    ready_at(&instance.entry(None).ready)
}

/// Checks the readiness page of a process; the error says what is missing.
pub(crate) fn ready_at(page: &str) -> Result<(), String> {
    let response = minreq::get(page).with_timeout(TIMEOUT).send().ok().ok_or("does not answer")?;
    if response.status_code == 200 {
        return Ok(());
    }
    Err(missing(response.as_bytes()))
}

/// `{"ready":false,"missing":["postgres"]}` → `waiting for postgres`.
fn missing(body: &[u8]) -> String {
    let page: Page = serde_json::from_slice(body).unwrap_or_default();
    if page.missing.is_empty() {
        return "not ready".to_owned();
    }
    format!("waiting for {}", page.missing.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_conditions_are_named() {
        assert_eq!(
            missing(br#"{"ready":false,"missing":["postgres","feed"]}"#),
            "waiting for postgres, feed"
        );
        assert_eq!(missing(b"nonsense"), "not ready");
    }
}
