//! The exit status of `staff` when its output cannot be written.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs::File;
use std::io;
use std::process::{Command, Output, Stdio};

/// Runs commands that call no service, one for each way to print.
fn run(stdout: impl Fn() -> Stdio) -> [Output; 2] {
    let member = ["--json", "member", "new", "ada", "admin"];
    let script = ["completion", "bash"];
    [&member[..], &script[..]].map(|arguments| {
        let mut staff = Command::new(env!("CARGO_BIN_EXE_staff"));
        staff.args(arguments).stdout(stdout()).output().unwrap()
    })
}

#[test]
fn staff_ends_quietly_when_nobody_reads_its_output() {
    let closed = || {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        writer.into()
    };
    for ended in run(closed) {
        assert_eq!(ended.status.code(), Some(141));
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
    }
}

#[test]
fn staff_fails_with_a_reason_when_its_output_cannot_be_written() {
    for ended in run(|| File::options().write(true).open("/dev/full").unwrap().into()) {
        assert_eq!(ended.status.code(), Some(2));
        assert!(!ended.stderr.is_empty());
    }
}
