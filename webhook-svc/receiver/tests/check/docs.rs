//! The receivers that the documentation shows keep all rules, as they stand there.

use std::path::Path;

use super::good::assert_decompresses_nothing;
use super::process::{Receiver, build_go, example, start_example};

const GUIDE: &str = include_str!("../../../../gateway/web/pages/docs/webhooks.md");

/// The path of a receiver that the documentation shows.
fn shown(language: &str, name: &str) -> String {
    let block = format!("\n```{language} receiver\n{{{{{name}}}}}\n```\n");
    assert!(GUIDE.contains(&block), "{block}");
    example(name).display().to_string()
}

fn assert_keeps_all_rules(receiver: &Receiver) {
    assert_decompresses_nothing(receiver);
    let checked = receiver.check();
    let (text, log) = (&checked.text, receiver.log());
    assert!(checked.rules("FAILED").is_empty(), "{text}{log}");
    let passed = checked.rules("passed");
    // The fifth is not seen where the work takes no time.
    for rule in [1, 2, 3, 4, 6] {
        assert!(passed.contains(&rule), "{text}{log}");
    }
    assert_eq!(checked.status, 0, "{text}{log}");
}

#[test]
fn the_receiver_in_python_that_the_documentation_shows_keeps_all_rules() {
    let file = shown("python", "receiver.py");
    assert_keeps_all_rules(&start_example(&format!("python3 {file}")));
}

#[test]
fn the_receiver_in_node_that_the_documentation_shows_keeps_all_rules() {
    let file = shown("js", "receiver.mjs");
    assert_keeps_all_rules(&start_example(&format!("node {file}")));
}

/// Only on a machine with Go.
#[test]
fn the_receiver_in_go_that_the_documentation_shows_keeps_all_rules() {
    let folder = tempfile::tempdir().unwrap();
    let file = shown("go", "receiver.go");
    let program = folder.path().join("receiver");
    if build_go(Path::new(&file), &program) {
        assert_keeps_all_rules(&start_example(&program.display().to_string()));
    }
}
