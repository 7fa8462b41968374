//! The Python receiver with changed lines: the check must name the rule that each change breaks.

use std::fs;
use std::thread;

use super::process::{AT_ONCE, Receiver, example, start_example};

/// Each block has the number of a rule, a part of the expected report, and the changes that break the rule.
const BREAKS: &str = include_str!("breaks.txt");
/// How many receivers run concurrently.
const AT_A_TIME: usize = 4;

/// Starts the Python receiver after replacing texts in its source.
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
    let changes: Vec<_> = changes.iter().map(|(good, bad)| (&**good, &**bad)).collect();
    let checked = start_changed(&changes).check();
    let expected: [u8; 1] = [rule.parse().unwrap()];
    assert_eq!(checked.rules("FAILED"), expected, "{why}: {}", checked.text);
    assert!(checked.text.contains(why), "{why}: {}", checked.text);
    assert_eq!(checked.status, 1);
}

#[test]
fn each_broken_rule_is_named() {
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
fn verifying_a_reserialized_body_breaks_rule_one() {
    let checked = start_changed(&[(
        "b\".\" + body, hashlib",
        "b\".\" + json.dumps(json.loads(body or b'0'), separators=(',', ':')).encode(), hashlib",
    )])
    .check();
    assert!(checked.rules("FAILED").contains(&1), "{}", checked.text);
    assert!(
        checked.text.contains("a body with spaces and line breaks: answered 401"),
        "{}",
        checked.text
    );
}

#[test]
fn work_that_is_never_done_breaks_rule_four() {
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
fn work_before_the_response_breaks_rule_five() {
    let changes = [(
        "    arrived.set()
    return 200",
        "    time.sleep(0 if message['event'] == 'ping' else 2)
    arrived.set()
    return 200",
    )];
    // A response after more than a second fails the rule; `webhook check` itself gives up only after eight seconds.
    let checked = start_changed(&changes).check_within("1", "60");
    assert_eq!(checked.rules("FAILED"), [5], "{}", checked.text);
    assert!(checked.text.contains("answered after"), "{}", checked.text);
}
