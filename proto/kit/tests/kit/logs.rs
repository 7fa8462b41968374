//! Logging when nobody reads standard output. The process that logs is this test program, started with an environment variable.

use std::process::Stdio;

use kit::config::{LogFormat, Telemetry};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

/// Much more than a pipe and the queue can hold.
const LINES: u32 = 100_000;

#[tokio::test]
async fn a_blocked_standard_output_blocks_no_one() {
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "logs::a_process_that_logs_much", "--nocapture"])
        .env("LOGS_MUCH", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(process.stderr.take().unwrap()).lines();
    let served = async {
        while let Some(line) = stderr.next_line().await.unwrap() {
            if let Some(dropped) = line.strip_prefix("logged all, dropped ") {
                return Some(dropped.parse::<u32>().unwrap());
            }
        }
        None
    };
    let served = tokio::time::timeout(testing::LONG, served).await;
    let dropped = served.expect("the process waits for its reader").unwrap();
    assert!((1..LINES).contains(&dropped), "{dropped} of {LINES}");
    // The process still ends, without its last lines.
    let ended = async {
        while let Some(line) = stderr.next_line().await.unwrap() {
            if line == "ended" {
                return;
            }
        }
        panic!("the process ended early");
    };
    let ended = tokio::time::timeout(testing::LONG, ended).await;
    ended.expect("the process does not end");
    process.kill().await.unwrap();
}

/// The child process of the tests: it writes many log lines, and prints to standard error when it is done.
#[tokio::test]
async fn a_process_that_logs_much() {
    if std::env::var_os("LOGS_MUCH").is_none() {
        return;
    }
    let settings = Telemetry {
        log: "info".to_owned(),
        log_format: LogFormat::Json,
        otlp_endpoint: None,
        trace_sample: 0.0,
    };
    let guard = kit::telemetry::start("test", &settings).unwrap();
    for line in 0..LINES {
        tracing::info!(line, "a line that nobody reads");
    }
    eprintln!("logged all, dropped {}", guard.dropped_lines());
    drop(guard);
    eprintln!("ended");
}
