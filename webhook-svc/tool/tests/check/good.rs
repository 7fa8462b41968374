//! The receivers in Python, Node and Go that the documentation shows keep all six rules.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::process::{
    AT_ONCE, PROGRAM, Receiver, build_go, check, example, start_example, until_order_is_seen,
};

const GUIDE: &str = include_str!("../../../../gateway/web/pages/guides/webhooks.md");

/// For each receiver its language, its file, the line at which its work begins, and a line that makes the work take a second.
const EXAMPLES: [(&str, &str, &str, &str); 3] = [
    ("python", "receiver.py", "    print(f\"handled", "    time.sleep(1)\n"),
    (
        "js",
        "receiver.mjs",
        "  console.log('handled'",
        "  await new Promise((done) => setTimeout(done, 1000));\n",
    ),
    ("go", "receiver.go", "\tfmt.Println(\"handled\"", "\ttime.Sleep(time.Second)\n"),
];

/// Starts a receiver whose work takes a second, so that the check sees whether the response precedes the work. `None` on a machine without Go.
fn start_slow(file: &str) -> Option<(Receiver, TempDir)> {
    let example_of = EXAMPLES.iter().find(|(_, name, ..)| *name == file);
    let (language, name, work, pause) = example_of.unwrap();
    let text = fs::read_to_string(example(name)).unwrap();
    assert_eq!(text.matches(work).count(), 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, text.replace(work, &format!("{pause}{work}"))).unwrap();
    let command = command(language, &file, folder.path())?;
    Some((start_example(&command), folder))
}

/// The command that starts a receiver. `None` on a machine without Go.
fn command(language: &str, file: &Path, folder: &Path) -> Option<String> {
    Some(match language {
        "python" => format!("python3 {}", file.display()),
        "js" => format!("node {}", file.display()),
        _ => {
            let program = folder.join("receiver");
            build_go(file, &program).then(|| program.display().to_string())?
        }
    })
}

/// A compressed body gets 415; an uncompressed one without a signature gets 401.
fn assert_decompresses_nothing(receiver: &Receiver) {
    for (coding, status) in [
        ("gzip", " 415 "),
        ("BR", " 415 "),
        ("identity, zstd", " 415 "),
        ("Identity", " 401 "),
        ("", " 401 "),
    ] {
        let answer = receiver.answer_to_coding(coding);
        let (first, _) = answer.split_once("\r\n").unwrap();
        assert!(format!("{first} ").contains(status), "{coding}: {answer}");
        let names_identity = answer.contains("accept-encoding: identity\r\n");
        assert!(names_identity || status == " 401 ", "{coding}: {answer}");
    }
}

fn assert_keeps_all_rules(file: &str) {
    let Some((receiver, _folder)) = start_slow(file) else {
        return;
    };
    assert_decompresses_nothing(&receiver);
    // Otherwise anybody could fill the receiver's memory without a secret.
    assert!(receiver.refuses_a_long_body(), "{}", receiver.log());
    assert!(receiver.answers(), "{}", receiver.log());
    let checked = until_order_is_seen(|| receiver.check());
    assert_eq!(checked.rules("passed"), [1, 2, 3, 4, 5, 6], "{}", checked.text);
    // Whether a comparison takes constant time cannot be observed from outside.
    assert_eq!(checked.rules("not checked"), [2], "{}", checked.text);
    assert_eq!(checked.status, 0);
}

#[test]
fn the_receiver_in_python_keeps_all_rules() {
    assert_keeps_all_rules("receiver.py");
}

#[test]
fn the_receiver_in_node_keeps_all_rules() {
    assert_keeps_all_rules("receiver.mjs");
}

/// Does nothing on a machine without Go.
#[test]
fn the_receiver_in_go_keeps_all_rules() {
    assert_keeps_all_rules("receiver.go");
}

#[test]
fn the_documentation_shows_the_receivers() {
    for (language, name, ..) in EXAMPLES {
        let block = format!("\n```{language} receiver\n{{{{{name}}}}}\n```\n");
        assert!(GUIDE.contains(&block), "{block}");
    }
}

/// An empty secret would let anybody sign. Without Go on the machine, the Go receiver is skipped.
#[test]
fn no_receiver_starts_without_its_secret() {
    let folder = tempfile::tempdir().unwrap();
    let commands = EXAMPLES
        .iter()
        .filter_map(|(language, name, ..)| command(language, &example(name), folder.path()));
    for command in commands {
        for secret in [None, Some(""), Some("  "), Some("whsec_"), Some("${SECRET}")] {
            let mut started = Command::new("sh");
            started.args(["-c", &command]).current_dir(folder.path());
            started.env_remove("SERVICE_WEBHOOK_SECRET");
            started.envs(secret.map(|secret| ("SERVICE_WEBHOOK_SECRET", secret)));
            let ended = started.env("PORT", "0").output().unwrap();
            assert!(!ended.status.success(), "{command} {secret:?}");
        }
    }
}

#[test]
fn rules_that_cannot_be_observed_are_not_checked() {
    let python = command("python", &example("receiver.py"), Path::new(""));
    let receiver = start_example(&python.unwrap());
    let alone = check(&receiver.url(), &["--at-once", AT_ONCE]);
    assert_eq!(alone.rules("passed"), [1, 2, 3], "{}", alone.text);
    assert_eq!(alone.rules("not checked"), [2, 4, 5, 6], "{}", alone.text);
    assert_eq!(alone.status, 0);

    let handled = receiver.handled();
    let without_restart = check(&receiver.url(), &["--at-once", AT_ONCE, "--handled", handled]);
    assert!(without_restart.rules("not checked").contains(&4), "{}", without_restart.text);

    let lies = check(&receiver.url(), &["--at-once", AT_ONCE, "--handled", "echo many"]);
    assert!(lies.text.contains("it printed `many`"), "{}", lies.text);
    assert!(lies.rules("FAILED").is_empty(), "{}", lies.text);

    let wrong = check(&receiver.url(), &["--restart", "false", "--at-once", AT_ONCE]);
    assert!(wrong.rules("not checked").contains(&4), "{}", wrong.text);
}

#[test]
fn an_absent_receiver_is_reported() {
    let nobody = check("http://127.0.0.1:1/", &[]);
    assert_eq!(nobody.status, 2);
    assert!(nobody.text.contains("Start the receiver first"), "{}", nobody.text);
    let help = Command::new(PROGRAM).args(["check", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("not checked"), "{help}");
}
