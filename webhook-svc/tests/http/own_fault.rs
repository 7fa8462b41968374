//! Faults of this machine.

use std::process::Command;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use webhook::http::resolver::ResolveError;
use webhook::http::{AttemptOutcome, OwnFault, Sender};

use super::receiver::{Authority, Receiver, Scripted, ping, sender};

/// Says that this process belongs to the test alone.
const ALONE: &str = "WEBHOOK_TEST_ALONE";

#[tokio::test]
async fn no_file_descriptor_left_is_no_attempt() {
    let is_alone = std::env::var_os(ALONE).is_some();
    if !is_alone {
        let name = "own_fault::no_file_descriptor_left_is_no_attempt";
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.args(["--exact", name]).env(ALONE, "1").output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}"
        );
        return;
    }
    let authority = Authority::new();
    let receiver = Receiver::answering(&authority, "HTTP/1.1 204 \r\n\r\n").await;
    let sender = sender(&authority.settings(&[&receiver]), &receiver);
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, 0, hard).unwrap();
    let none = ping(&sender).await;
    assert_eq!(none.own_fault, Some(OwnFault::Sockets), "{none:?}");
    setrlimit(Resource::RLIMIT_NOFILE, soft, hard).unwrap();
    let answer = ping(&sender).await;
    assert_eq!(answer.outcome, AttemptOutcome::Delivered, "{answer:?}");
}

#[tokio::test]
async fn a_name_without_an_address_is_the_receivers_and_silent_name_servers_are_ours() {
    let authority = Authority::new();
    let settings = authority.settings(&[]);
    for (answer, own_fault) in [
        (Err(ResolveError::NoAddress), None),
        (Ok(Vec::new()), None),
        (
            Err(ResolveError::Unanswered("SERVFAIL".to_owned())),
            Some(OwnFault::Network),
        ),
    ] {
        let resolver = Scripted::answering([answer]);
        let sender = Sender::with_resolver(&settings, resolver).unwrap();
        let answer = ping(&sender).await;
        assert_eq!(answer.outcome, AttemptOutcome::Failed);
        assert_eq!(answer.own_fault, own_fault);
    }
    let mut settings = settings;
    settings.answer_timeout = std::time::Duration::from_millis(50);
    let silent = Sender::with_resolver(&settings, Scripted::silent()).unwrap();
    let answer = ping(&silent).await;
    assert_eq!(answer.own_fault, Some(OwnFault::Network), "{answer:?}");
}
