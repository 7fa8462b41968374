//! Pauses one of two replicas while it sends. When the replica continues, its lease has expired, and it sends nothing more.

use e2e::{Paused, Receiver, SmallFleet, eventually};
use nix::unistd::Pid;

use super::{IN_FLIGHT, pids, publish};

const MESSAGES: usize = 1_000;
/// The receiver answers this many requests at first: enough for the window of the endpoint to grow to its maximum.
const ANSWERED: usize = 300;

#[tokio::test]
#[ignore = "long: waits until a lease ends"]
async fn a_replica_that_was_frozen_repeats_only_what_was_in_flight() {
    let receiver = Receiver::start().await;
    let mut small = SmallFleet::new();
    small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
    // With a short lease, the other replica takes over soon.
    small.set("WEBHOOK_LEASE", "2");
    let fleet = small.up_with(&["--replicas", "webhook-svc=2"]).await;
    receiver.subscribe(&fleet, &["listing.updated"]).await;
    receiver.answer_until(ANSWERED);
    publish(&small, 0, MESSAGES).await;
    eventually("the receiver stalls", async || (receiver.arrivals() > ANSWERED).then_some(()))
        .await;
    let claims = async || fleet.metric("webhook-svc", "webhook_endpoints_claimed").await;
    let sending = eventually("a replica has claimed the endpoint", async || {
        claims().await.iter().position(|claimed| *claimed > 0)
    })
    .await;
    let frozen = Paused::process(Pid::from_raw(pids(&small)[sending]));
    receiver.answer_until(usize::MAX);
    eventually("the other replica sends every message", async || {
        (receiver.count() == MESSAGES).then_some(())
    })
    .await;
    let before = receiver.repeats();
    drop(frozen);
    eventually("the replica has ended what was in flight", async || {
        (claims().await[sending] == 0).then_some(())
    })
    .await;
    let lost = fleet.metric("webhook-svc", "webhook_leases_lost_total");
    let lost = usize::try_from(lost.await.iter().sum::<u64>()).unwrap();
    // At least one: on a busy machine, another lease may have expired before the pause.
    assert!(lost > 0, "no replica has lost its lease");
    let repeats = receiver.repeats();
    println!("{MESSAGES} messages, {lost} lost lease(s), {before} and then {repeats} came again");
    assert!(
        repeats <= lost * IN_FLIGHT,
        "{before} and then {repeats} came again, {lost} lost leases"
    );
}
