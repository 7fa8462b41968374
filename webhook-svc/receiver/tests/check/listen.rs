//! `webhook-listen` between the service and a receiver.

use super::good::reference;
use super::process::{AT_ONCE, Receiver, SECRETS, check, program, until_order_is_seen};

#[test]
fn messages_are_verified_and_go_on_unchanged() {
    let receiver = Receiver::start(&reference(), "1");
    let program = format!(
        "{} --listen 127.0.0.1:%PORT% --secret '{SECRETS}' --forward-to {}",
        program("webhook-listen").display(),
        receiver.url()
    );
    let listener = Receiver::start(&program, "0");
    let handled = receiver.handled();
    let options = ["--at-once", AT_ONCE, "--handled", handled];
    let checked = until_order_is_seen(|| check(&listener.url(), &options));
    assert_eq!(checked.rules("passed"), [1, 2, 3, 5, 6], "{}", checked.text);

    let log = listener.log();
    for line in [
        "ping ",
        "verified",
        "rejected: its signature does not match this secret",
        "rejected: its timestamp differs from this machine's clock by more than 300 seconds",
        "rejected: x-service-timestamp is missing or not a number of seconds",
        "answered 200",
        "answered 400",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    assert!(!log.contains("whsec_"), "{log}");
}
