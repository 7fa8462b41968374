//! The receiver in Python with one of its lines tampered: the check must name the rule.

use std::fs;
use std::thread;

use super::process::{AT_ONCE, Receiver, example, start_example};

/// Blocks of a rule, what the check says of it, and the changes that break it.
const BREAKS: &str = include_str!("breaks.txt");
/// Receivers that are checked at once.
const AT_A_TIME: usize = 4;

/// Starts the receiver in Python, after each of `changes` in its text.
fn start_changed(changes: &[(&str, &str)]) -> Receiver {
    let mut text = fs::read_to_string(example("receiver.py")).unwrap();
    for (good, bad) in changes {
        assert_eq!(text.matches(good).count(), 1, "{good}");
        text = text.replace(good, bad);
    }
    let quoted = text.replace('\'', "'\\''");
    start_example(&format!("python3 -c '{quoted}'"))
}

fn assert_breaks(block: &str) {
    let mut lines = block.lines();
    let (rule, why) = lines.next().unwrap().split_once(' ').unwrap();
    let mut text = |sign: &str| {
        let line = lines.next()?.strip_prefix(sign).unwrap();
        Some(line.replace("\\n", "\n"))
    };
    let mut changes = Vec::new();
    while let Some(good) = text("-") {
        changes.push((good, text("+").unwrap()));
    }
    let changes: Vec<_> = changes
        .iter()
        .map(|(good, bad)| (&**good, &**bad))
        .collect();
    let checked = start_changed(&changes).check();
    let expected: [u8; 1] = [rule.parse().unwrap()];
    assert_eq!(checked.rules("FAILED"), expected, "{why}: {}", checked.text);
    assert!(checked.text.contains(why), "{why}: {}", checked.text);
    assert_eq!(checked.status, 1);
}

#[test]
fn each_break_of_a_rule_is_named() {
    let blocks: Vec<&str> = BREAKS.trim_end_matches('\n').split("\n\n").collect();
    for some in blocks.chunks(AT_A_TIME) {
        thread::scope(|scope| {
            for block in some {
                scope.spawn(|| assert_breaks(block));
            }
        });
    }
}

#[test]
fn a_body_that_is_written_anew_breaks_the_first() {
    let checked = start_changed(&[(
        "b\".\" + body, hashlib",
        "b\".\" + json.dumps(json.loads(body or b'0'), separators=(',', ':')).encode(), hashlib",
    )])
    .check();
    assert!(checked.rules("FAILED").contains(&1), "{}", checked.text);
    assert!(
        checked
            .text
            .contains("a body with spaces and line breaks: answered 401"),
        "{}",
        checked.text
    );
}

#[test]
fn work_that_is_never_done_breaks_the_fourth() {
    let changes = [
        ("    arrived.set()\n    return 200", "    return 200"),
        (
            "\"select id, body, attempts from message where is_handled = 0",
            "\"select id, body, attempts from message where false",
        ),
    ];
    let checked = start_changed(&changes).check_within(AT_ONCE, "1");
    assert!(checked.rules("FAILED").contains(&4), "{}", checked.text);
}

#[test]
fn work_before_the_answer_breaks_the_fifth() {
    let changes = [(
        "    arrived.set()
    return 200",
        "    time.sleep(0 if message['event'] == 'ping' else 2)
    arrived.set()
    return 200",
    )];
    // The answers come long before `webhook check` gives up, which takes eight seconds.
    let checked = start_changed(&changes).check_within("1", "60");
    assert_eq!(checked.rules("FAILED"), [5], "{}", checked.text);
    assert!(checked.text.contains("answered after"), "{}", checked.text);
}
