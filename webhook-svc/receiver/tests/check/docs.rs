//! The receivers that the documentation shows keep all rules, as they stand there.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::process::{Receiver, SECRET};

const GUIDE: &str = include_str!("../../../../gateway/web/pages/docs/webhooks.md");

/// The receiver in a language.
fn shown(language: &str) -> &'static str {
    let start = format!("\n```{language} receiver\n");
    let (_, rest) = GUIDE.split_once(&start).unwrap();
    let (code, rest) = rest.split_once("\n```\n").unwrap();
    assert!(!rest.contains(&start), "two receivers in {language}");
    code
}

/// Checks the receiver that `program` starts. It prints each message that it has handled.
fn assert_keeps_all_rules(program: &str) {
    let program = format!("env SERVICE_WEBHOOK_SECRET={SECRET} PORT=%PORT% {program}");
    let receiver = Receiver::start(&program, "0");
    let checked = receiver.check_by_log("handled $WEBHOOK_ID ");
    let (text, log) = (&checked.text, receiver.log());
    assert!(checked.rules("FAILED").is_empty(), "{text}{log}");
    let passed = checked.rules("passed");
    // The fifth is not seen where the work takes no time.
    for rule in [1, 2, 3, 4, 6] {
        assert!(passed.contains(&rule), "{text}{log}");
    }
    assert_eq!(checked.status, 0, "{text}{log}");
}

fn save(folder: &Path, name: &str, language: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, shown(language)).unwrap();
    file.display().to_string()
}

#[test]
fn the_receiver_in_python_that_the_documentation_shows_keeps_all_rules() {
    let folder = tempfile::tempdir().unwrap();
    let file = save(folder.path(), "receiver.py", "python");
    assert_keeps_all_rules(&format!("python3 {file}"));
}

#[test]
fn the_receiver_in_node_that_the_documentation_shows_keeps_all_rules() {
    let folder = tempfile::tempdir().unwrap();
    let file = save(folder.path(), "receiver.mjs", "js");
    assert_keeps_all_rules(&format!("node {file}"));
}

/// Only on a machine with Go.
#[test]
fn the_receiver_in_go_that_the_documentation_shows_keeps_all_rules() {
    let folder = tempfile::tempdir().unwrap();
    let file = save(folder.path(), "receiver.go", "go");
    let program = folder.path().join("receiver");
    let mut build = Command::new("go");
    build.args(["build", "-o"]).arg(&program).arg(&file);
    let Ok(built) = build.env("GO111MODULE", "off").output() else {
        return;
    };
    let problems = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{problems}");
    assert_keeps_all_rules(&program.display().to_string());
}
