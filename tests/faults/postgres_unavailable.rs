//! Pauses PostgreSQL, which then neither refuses nor answers connections: the hardest outage for its clients.

use std::fs;

use e2e::{Client, Paused, SmallFleet, children, eventually, guess};
use nix::unistd::Pid;

#[tokio::test]
#[ignore = "long: PostgreSQL is paused until deadlines pass"]
async fn keys_in_use_go_on_for_an_hour_without_postgresql_and_all_is_well_when_it_returns() {
    let mut small = SmallFleet::patient_except_with_postgresql();
    let fleet = small.up().await;
    let pids = fleet.pids();
    let keys = &fleet.account("partner").keys;
    let used = Client::new(&fleet, &keys.live);
    let fresh = Client::new(&fleet, &keys.live_write);
    let nobody = Client::new(&fleet, &guess());
    assert_eq!(used.get("/games?limit=1").await.status, 200);
    let minute = async || used.get("/me").await.data()["minute"]["resets_at"].to_string();

    let server = pids["postgres"];
    // Pause the server before its children, so that it starts no more of them.
    let paused = Paused::process(Pid::from_raw(server)).and(children(server));
    for client in [&fresh, &nobody] {
        let answer = client.get("/games?limit=1").await;
        answer.assert_error(503, "unavailable");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    for _ in 0..3 {
        assert_eq!(used.get("/games?limit=1").await.status, 200);
    }
    let before = minute().await;
    fs::write(&fleet.clock_file, "+3000").unwrap();
    eventually("the gateway's clock has moved", async || (minute().await != before).then_some(()))
        .await;
    assert_eq!(used.get("/games?limit=1").await.status, 200);
    fs::write(&fleet.clock_file, "+4200").unwrap();
    let answer = eventually("the key is not accepted any more", async || {
        let answer = used.get("/games?limit=1").await;
        (answer.status != 200).then_some(answer)
    })
    .await;
    answer.assert_error(503, "unavailable");

    drop(paused);
    for client in [&used, &fresh] {
        eventually("the key is answered again", async || {
            let answer = client.get("/games?limit=1").await;
            (answer.status == 200).then_some(())
        })
        .await;
    }
    eventually("a guess is known as one again", async || {
        let answer = nobody.get("/games").await;
        (answer.status == 401).then_some(())
    })
    .await;
    assert_eq!(small.fleet().pids(), pids, "nothing was started anew");
}
