//! Receivers that keep all six rules.

use std::fs;
use std::process::Command;

use super::broken::start_changed;
use super::process::{
    AT_ONCE, Receiver, SECRETS, build_go, check, example, program, start_example,
    until_order_is_seen,
};

fn assert_all_six_pass(receiver: &Receiver) {
    let checked = until_order_is_seen(|| receiver.check());
    assert_eq!(
        checked.rules("passed"),
        [1, 2, 3, 4, 5, 6],
        "{}",
        checked.text
    );
    // Nobody can see from outside whether the comparison takes constant time.
    assert_eq!(checked.rules("not checked"), [2], "{}", checked.text);
    assert_eq!(checked.status, 0);
}

pub(crate) fn reference() -> String {
    format!(
        "{} --listen 127.0.0.1:%PORT% --secret '{SECRETS}' --store %STORE% --work %WORK%",
        program("webhook-receiver").display()
    )
}

/// A coded body is refused; one that is not is as unsigned as before.
pub(crate) fn assert_decompresses_nothing(receiver: &Receiver) {
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

#[test]
fn the_reference_and_the_listener_decompress_nothing() {
    let receiver = Receiver::start(&reference(), "0");
    assert_decompresses_nothing(&receiver);
    let listener = format!(
        "{} --listen 127.0.0.1:%PORT% --secret '{SECRETS}'",
        program("webhook-listen").display()
    );
    assert_decompresses_nothing(&Receiver::start(&listener, "0"));
}

/// Else anybody could fill its memory, without a secret. That in Go is checked only on a machine with Go.
#[test]
fn no_receiver_reads_a_long_body() {
    let python = start_example(&format!("python3 {}", example("receiver.py").display()));
    let node = start_example(&format!("node {}", example("receiver.mjs").display()));
    let reference = Receiver::start(&reference(), "0");
    let mut receivers = vec![("python", python), ("node", node), ("rust", reference)];
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("receiver");
    if build_go(&example("receiver.go"), &go) {
        receivers.push(("go", start_example(&go.display().to_string())));
    }
    for (name, receiver) in receivers {
        assert!(receiver.refuses_a_long_body(), "{name}: {}", receiver.log());
        assert!(receiver.answers(), "{name}: {}", receiver.log());
    }
}

#[test]
fn the_reference_keeps_all_rules() {
    assert_all_six_pass(&Receiver::start(&reference(), "1"));
}

#[test]
fn the_receiver_in_python_keeps_all_rules() {
    let receiver = start_changed(&[(
        "    print(f\"handled",
        "    time.sleep(1)\n    print(f\"handled",
    )]);
    assert_all_six_pass(&receiver);
}

#[test]
fn the_receiver_in_node_keeps_all_rules() {
    let text = fs::read_to_string(example("receiver.mjs")).unwrap();
    let work = "  console.log('handled'";
    assert_eq!(text.matches(work).count(), 1);
    let slow = "  await new Promise((done) => setTimeout(done, 1000));\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("receiver.mjs");
    fs::write(&file, text.replace(work, &format!("{slow}{work}"))).unwrap();
    let receiver = start_example(&format!("node {}", file.display()));
    assert_all_six_pass(&receiver);
}

/// With an empty secret anybody could sign. The receiver in Go is checked only on a machine with Go.
#[test]
fn no_receiver_starts_without_its_secret() {
    let (reference, listener) = (program("webhook-receiver"), program("webhook-listen"));
    let (python, node) = (example("receiver.py"), example("receiver.mjs"));
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("receiver");
    let mut commands = vec![
        vec!["python3", python.to_str().unwrap()],
        vec!["node", node.to_str().unwrap()],
        vec![reference.to_str().unwrap(), "--listen", "127.0.0.1:0"],
        vec![listener.to_str().unwrap(), "--listen", "127.0.0.1:0"],
    ];
    if build_go(&example("receiver.go"), &go) {
        commands.push(vec![go.to_str().unwrap()]);
    }
    for command in commands {
        for secret in [
            None,
            Some(""),
            Some("  "),
            Some("whsec_"),
            Some("${SECRET}"),
        ] {
            let mut started = Command::new(command[0]);
            started.args(&command[1..]).current_dir(folder.path());
            started.env_remove("SERVICE_WEBHOOK_SECRET");
            started.envs(secret.map(|secret| ("SERVICE_WEBHOOK_SECRET", secret)));
            let ended = started.env("PORT", "0").output().unwrap();
            assert!(!ended.status.success(), "{command:?} {secret:?}");
        }
    }
}

#[test]
fn what_cannot_be_seen_has_not_passed() {
    let receiver = Receiver::start(&reference(), "0");
    let alone = check(&receiver.url(), &["--at-once", AT_ONCE]);
    assert_eq!(alone.rules("passed"), [1, 2, 3], "{}", alone.text);
    assert_eq!(alone.rules("not checked"), [2, 4, 5, 6], "{}", alone.text);
    assert_eq!(alone.status, 0);

    let handled = receiver.handled();
    let without_restart = check(
        &receiver.url(),
        &["--at-once", AT_ONCE, "--handled", handled],
    );
    assert!(
        without_restart.rules("not checked").contains(&4),
        "{}",
        without_restart.text
    );

    let lies = check(
        &receiver.url(),
        &["--at-once", AT_ONCE, "--handled", "echo many"],
    );
    assert!(lies.text.contains("it printed `many`"), "{}", lies.text);
    assert!(lies.rules("FAILED").is_empty(), "{}", lies.text);

    let wrong = check(
        &receiver.url(),
        &["--restart", "false", "--at-once", AT_ONCE],
    );
    assert!(wrong.rules("not checked").contains(&4), "{}", wrong.text);
}

#[test]
fn what_is_not_there_is_not_checked() {
    let nobody = check("http://127.0.0.1:1/", &[]);
    assert_eq!(nobody.status, 2);
    assert!(
        nobody.text.contains("Start the receiver first"),
        "{}",
        nobody.text
    );
    let help = Command::new(program("webhook-check"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("not checked"), "{help}");
}
