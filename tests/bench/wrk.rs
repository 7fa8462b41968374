//! The load generator wrk, a package of Debian.

use std::io::ErrorKind;

use tokio::process::Command;

pub(crate) const CONNECTIONS: usize = 64;

/// A request that wrk repeats.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    args: Vec<String>,
}

impl Request {
    pub(crate) fn get(url: &str) -> Self {
        let args = vec![url.to_owned()];
        Self { args }
    }

    /// Adds the Lua script in this file, which makes the requests.
    pub(crate) fn with_script(mut self, script: &str) -> Self {
        self.args.extend(["-s".to_owned(), script.to_owned()]);
        self
    }

    /// Divides the load among several requests that are repeated at once.
    pub(crate) fn with_connections(mut self, connections: usize) -> Self {
        self.args.push(format!("-c{connections}"));
        self
    }

    pub(crate) fn with_key(self, key: &str) -> Self {
        self.with_header(&format!("Authorization: Bearer {key}"))
    }

    pub(crate) fn with_header(mut self, header: &str) -> Self {
        self.args.extend(["-H".to_owned(), header.to_owned()]);
        self
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) requests: u64,
    /// Responses per second.
    pub(crate) rate: f64,
    /// The 99th percentile of the times of responses, in milliseconds.
    pub(crate) p99: f64,
}

/// Repeats `request` on each of [`CONNECTIONS`], or of those of the request, for so many seconds. Every response must be a 2xx.
pub(crate) async fn load(request: &Request, seconds: u32) -> Load {
    let output = Command::new("wrk")
        .args(["-t1", &format!("-c{CONNECTIONS}"), "--latency", &format!("-d{seconds}s")])
        .args(&request.args)
        .output()
        .await
        .unwrap_or_else(|error| match error.kind() {
            ErrorKind::NotFound => panic!("wrk is not here: `apt install wrk`"),
            _ => panic!("wrk: {error}"),
        });
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "wrk: {said}");
    for bad in ["Non-2xx", "Socket errors"] {
        assert!(!said.contains(bad), "not every call was answered: {said}");
    }
    let after = |mark: &str| said.split_once(mark)?.1.split_whitespace().next();
    let requests = said
        .lines()
        .find_map(|line| line.trim().split_once(" requests in "))
        .and_then(|(count, _)| count.parse().ok());
    Load {
        requests: requests.unwrap_or_else(|| panic!("wrk says no count: {said}")),
        rate: after("Requests/sec:")
            .and_then(|rate| rate.parse().ok())
            .unwrap_or_else(|| panic!("wrk says no rate: {said}")),
        p99: after(" 99%")
            .and_then(milliseconds)
            .unwrap_or_else(|| panic!("wrk says no percentile: {said}")),
    }
}

/// A time of wrk, such as `1.25ms`.
fn milliseconds(text: &str) -> Option<f64> {
    let units = [("us", 1e-3), ("ms", 1.0), ("s", 1e3)];
    units.iter().find_map(|(unit, factor)| {
        let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(number * factor)
    })
}
