//! The receiver in Python with one of its lines tampered: the check must name the rule.

use std::fs;

use super::process::{AT_ONCE, Checked, Receiver, example, start_example};

/// Checks the receiver in Python, after each of `changes` in its text.
fn check_changed(changes: &[(&str, &str)]) -> Checked {
    start_changed(changes).check()
}

fn start_changed(changes: &[(&str, &str)]) -> Receiver {
    let mut text = fs::read_to_string(example("receiver.py")).unwrap();
    for (good, bad) in changes {
        assert_eq!(text.matches(good).count(), 1, "{good}");
        text = text.replace(good, bad);
    }
    start_example(&format!("python3 -c {}", quoted(&text)))
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn assert_breaks(rule: u8, why: &str, changes: &[(&str, &str)]) {
    let checked = check_changed(changes);
    assert_eq!(checked.rules("FAILED"), [rule], "{}", checked.text);
    assert!(checked.text.contains(why), "{}", checked.text);
    assert_eq!(checked.status, 1);
}

#[test]
fn a_body_that_is_written_anew_breaks_the_first() {
    let checked = check_changed(&[(
        "b\".\" + body, hashlib",
        "b\".\" + json.dumps(json.loads(body or b'0'), separators=(',', ':')).encode(), hashlib",
    )]);
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
fn an_old_message_that_is_believed_breaks_the_second() {
    assert_breaks(
        2,
        "a message signed 310 seconds ago",
        &[("> 300", "> 30000")],
    );
}

#[test]
fn a_message_from_the_future_that_is_believed_breaks_the_second() {
    let changes = [(
        "abs(time.time() - int(timestamp))",
        "time.time() - int(timestamp)",
    )];
    assert_breaks(2, "a message signed 310 seconds ahead", &changes);
}

#[test]
fn a_beginning_of_a_signature_that_is_believed_breaks_the_second() {
    let changes = [(
        "hmac.compare_digest(expected.encode(), signature.encode())",
        "signature != '' and expected.startswith(signature)",
    )];
    assert_breaks(2, "half a signature", &changes);
}

#[test]
fn an_unsigned_message_that_is_believed_breaks_the_second() {
    let changes = [(
        "if not is_signed(headers, body):",
        "if headers.get('x-service-signature') and not is_signed(headers, body):",
    )];
    assert_breaks(2, "without a signature", &changes);
}

#[test]
fn a_signature_that_crashes_the_receiver_breaks_the_second() {
    let changes = [(
        "expected.encode(), signature.encode()",
        "expected, signature",
    )];
    assert_breaks(2, "a signature that is not hexadecimal", &changes);
}

#[test]
fn a_text_that_is_accepted_breaks_the_third() {
    assert_breaks(
        3,
        "answered 200 instead of 400",
        &[("return 400", "return 200")],
    );
}

#[test]
fn nan_that_is_taken_for_json_breaks_the_third() {
    assert_breaks(3, "JSON with NaN", &[(", parse_constant=not_json", "")]);
}

#[test]
fn a_body_that_is_not_utf_8_and_accepted_breaks_the_third() {
    let changes = [
        ("body.decode(\"utf-8\")", "body.decode(\"latin-1\")"),
        (
            "handle(json.loads(body))",
            "handle(json.loads(body.decode(\"latin-1\")))",
        ),
    ];
    assert_breaks(3, "a body that is not UTF-8", &changes);
}

#[test]
fn an_odd_body_that_breaks_off_the_receiver_breaks_the_third() {
    let changes = [(
        "not isinstance(message, dict) or not all(isinstance(message.get(name), str) for name in (\"event\", \"id\"))",
        "not isinstance(message, dict) or not all(name in message for name in (\"event\", \"id\"))",
    )];
    assert_breaks(3, "a ping whose id is an object", &changes);
}

#[test]
fn an_id_that_cannot_be_stored_breaks_the_third() {
    let changes = [("if not message[\"id\"].isascii():", "if False:")];
    let why = "a ping whose id is half of a surrogate pair";
    assert_breaks(3, why, &changes);
}

#[test]
fn an_empty_secret_between_two_spaces_breaks_the_second() {
    let changes = [
        (
            "\"SERVICE_WEBHOOK_SECRET\", \"\").split()",
            "\"SERVICE_WEBHOOK_SECRET\", \"\").replace(\" \", \"  \").split(\" \")",
        ),
        (
            " or not all(secret.startswith(\"svc_whsec_\") for secret in SECRETS)",
            "",
        ),
    ];
    assert_breaks(2, "a message signed with an empty secret", &changes);
}

#[test]
fn a_new_secret_that_is_not_accepted_beside_the_old_one_breaks_the_second() {
    let changes = [("for secret in SECRETS:", "for secret in SECRETS[:1]:")];
    assert_breaks(2, "the other secret of a rotation", &changes);
}

#[test]
fn a_second_timestamp_that_is_believed_breaks_the_second() {
    let changes = [(
        "if abs(time.time() - int(timestamp)) > 300:",
        "if abs(time.time() - int(headers.get_all(\"x-service-timestamp\")[-1])) > 300:",
    )];
    assert_breaks(2, "with a second timestamp of now", &changes);
}

#[test]
fn characters_behind_a_signature_that_are_believed_break_the_second() {
    let changes = [(
        "hmac.compare_digest(expected.encode(), signature.encode())",
        "hmac.compare_digest(expected.encode(), signature.encode()[:64])",
    )];
    assert_breaks(2, "more characters behind its signature", &changes);
}

#[test]
fn work_that_is_repeated_breaks_the_fourth() {
    let changes = [
        ("import hashlib\n", "import hashlib, uuid\n"),
        ("(id text primary key", "(id text"),
    ];
    assert_breaks(4, "times", &changes);
}

#[test]
fn ids_that_a_restart_forgets_break_the_fourth() {
    assert_breaks(
        4,
        "was done 2 times",
        &[(
            "sqlite3.connect(\"messages.db\"",
            "sqlite3.connect(':memory:'",
        )],
    );
}

#[test]
fn a_known_id_that_is_refused_breaks_the_fourth() {
    assert_breaks(
        4,
        "the same message again",
        &[("insert or ignore", "insert")],
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

#[test]
fn an_unknown_event_that_is_refused_breaks_the_sixth() {
    let line = "not in EVENTS:\n        return ";
    assert_breaks(
        6,
        "answered 422 instead of 200",
        &[(&format!("{line}200"), &format!("{line}422"))],
    );
}

#[test]
fn an_unknown_event_that_is_worked_on_breaks_the_sixth() {
    let changes = [(
        "message[\"event\"] not in EVENTS",
        "message[\"event\"] is None",
    )];
    assert_breaks(6, "it processed an unknown event", &changes);
}
