//! Receivers whose work fails once for every message, and always for tips. The examples wait only a tenth as long between attempts here.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::process::{AT_ONCE, Receiver, build_go, check, example, start_example};

/// A timeout that only a hanging test reaches.
const PATIENCE: Duration = Duration::from_mins(2);

/// Copies an example with replaced texts to a temporary folder.
fn changed(name: &str, changes: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let mut text = fs::read_to_string(example(name)).unwrap();
    for (good, bad) in changes {
        assert_eq!(text.matches(good).count(), 1, "{good}");
        text = text.replace(good, bad);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    (folder, file)
}

/// Checks that the work of every message except tips is done once.
fn assert_is_done_once(receiver: &Receiver) {
    let checked = receiver.check();
    let (text, log) = (&checked.text, receiver.log());
    assert!(checked.rules("FAILED").is_empty(), "{text}{log}");
    assert!(checked.rules("passed").contains(&4), "{text}{log}");
    assert!(log.contains("tried again"), "{log}");
}

/// Checks that tips are set aside after five attempts, while the messages behind them are processed.
fn assert_sets_tips_aside(receiver: &Receiver) {
    let tips = check(&receiver.url(), &["--at-once", AT_ONCE, "--event", "tip.paid"]);
    assert!(tips.rules("FAILED").is_empty(), "{}", tips.text);
    assert_is_done_once(receiver);
    let begun = Instant::now();
    while !receiver.log().contains("set aside") {
        assert!(begun.elapsed() < PATIENCE, "{}", receiver.log());
        sleep(Duration::from_millis(100));
    }
    assert!(!receiver.log().contains(" tip.paid"), "{}", receiver.log());
}

#[test]
fn the_receiver_in_python_tries_again_and_passes_what_always_fails() {
    let bad = "seen = set()


def handle(message):
    if message['event'] == 'tip.paid' or message['id'] not in seen:
        seen.add(message['id'])
        raise RuntimeError('a test')
";
    let shorter = ("2**attempts", "2**attempts / 10");
    let (_folder, file) = changed("receiver.py", &[("def handle(message):\n", bad), shorter]);
    assert_sets_tips_aside(&start_example(&format!("python3 {}", file.display())));
}

/// The clock of the worker goes back by an hour with each message; the clock of the verification does not.
#[test]
fn the_receiver_in_python_does_not_wait_for_a_clock_that_goes_back() {
    let bad = "seen = set()
right = time.time


def wrong():
    is_worker = threading.current_thread() is threading.main_thread()
    return right() - (3600 * len(seen) if is_worker else 0)


time.time = wrong


def handle(message):
    if message['id'] not in seen:
        seen.add(message['id'])
        raise RuntimeError('a test')
";
    let shorter = ("2**attempts", "2**attempts / 10");
    let (_folder, file) = changed("receiver.py", &[("def handle(message):\n", bad), shorter]);
    assert_is_done_once(&start_example(&format!("python3 {}", file.display())));
}

#[test]
fn the_receiver_in_node_tries_again_and_passes_what_always_fails() {
    let bad = "const seen = new Set();
async function handle(message) {
  if (message.event === 'tip.paid' || !seen.has(message.id)) {
    seen.add(message.id);
    throw new Error('a test');
  }
";
    let good = "async function handle(message) {\n";
    let shorter = ("1000 * 2 **", "100 * 2 **");
    let (_folder, file) = changed("receiver.mjs", &[(good, bad), shorter]);
    assert_sets_tips_aside(&start_example(&format!("node {}", file.display())));
}

/// Otherwise the receiver would accept messages forever and process none.
#[test]
fn the_receiver_in_python_exits_when_its_worker_fails() {
    let change = ("set is_handled = 1", "set no_such_column = 1");
    let (_folder, file) = changed("receiver.py", &[change]);
    let receiver = start_example(&format!("python3 {}", file.display()));
    // The first message crashes the receiver, and with it the check.
    check(&receiver.url(), &[]);
    let begun = Instant::now();
    while receiver.answers() {
        assert!(begun.elapsed() < PATIENCE, "{}", receiver.log());
        sleep(Duration::from_millis(100));
    }
    assert!(receiver.log().contains("no_such_column"), "{}", receiver.log());
}

/// Does nothing on a machine without Go.
#[test]
fn the_receiver_in_go_tries_again_and_passes_what_always_fails() {
    let bad = "var seen = map[string]bool{}

func handle(it message) error {
	if it.Event == \"tip.paid\" || !seen[it.ID] {
		seen[it.ID] = true
		return fmt.Errorf(\"a test\")
	}
";
    let good = "func handle(it message) error {\n";
    let shorter = ("time.Second << ", "100 * time.Millisecond << ");
    let (folder, file) = changed("receiver.go", &[(good, bad), shorter]);
    let program = folder.path().join("receiver");
    if build_go(&file, &program) {
        assert_sets_tips_aside(&start_example(&program.display().to_string()));
    }
}
