//! Tells `deploy/test` what a test has started.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::Instant;

/// The variable with the file to which each start is added.
const FILE: &str = "TEST_STARTS";

/// Records that something such as `a fleet` has started, and how long it took, if a run of `deploy/test` asks for that.
pub fn record_start(name: &str, since: Instant) {
    let Some(file) = env::var_os(FILE) else {
        return;
    };
    let line = format!("{} {name}\n", since.elapsed().as_millis());
    let file = OpenOptions::new().create(true).append(true).open(file);
    // It is only a figure: nothing fails for want of it.
    drop(file.and_then(|mut file| file.write_all(line.as_bytes())));
}
