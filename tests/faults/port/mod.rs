//! Hostile clients at the public port: the gateway answers each or closes its connection, its memory does not grow, and other clients are
//! not affected.

mod floods;
mod frames;
mod untaken;

use std::time::Duration;

use e2e::raw::connect;
use e2e::{Client, Fleet, SmallFleet};
use futures::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use floods::Flood;

/// The timeout for a connection that is still open.
const GIVE_UP: Duration = Duration::from_mins(2);
/// The number of concurrent floods.
const AT_ONCE: usize = 8;
/// The most memory that all floods together may take.
const MEMORY: u64 = 64 * 1024 * 1024;

/// Floods until the server has closed the connection.
async fn until_closed(fleet: &Fleet, flood: &Flood) {
    let (mut read, mut write) = connect(fleet).await.into_split();
    let mut waves = 0;
    let sending = async {
        let mut sent = write.write_all(&flood.begin).await;
        while sent.is_ok() {
            sent = write.write_all(&(flood.wave)(waves)).await;
            waves += 1;
            // Let the other floods run.
            tokio::task::yield_now().await;
        }
    };
    let mut said = Vec::new();
    let closed = async {
        if flood.reads {
            tokio::select! {
                // A reset while this client sends also ends the connection.
                () = sending => {}
                _ = read.read_to_end(&mut said) => {}
            }
        } else {
            // This client never reads, so only a failed write shows that the connection is closed.
            sending.await;
        }
    };
    let closed = tokio::time::timeout(GIVE_UP, closed).await;
    assert!(closed.is_ok(), "still open: {}", flood.what);
    assert!(waves > 0, "it never began: {}", flood.what);
    let text = String::from_utf8_lossy(&said);
    assert!(
        !frames::answered_500(&said) && !text.contains(" 500 "),
        "{}: {text}",
        flood.what
    );
}

/// The peak memory of a process, in bytes.
fn peak(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1_024
}

#[tokio::test]
#[ignore = "long: floods"]
async fn floods_end_and_nobody_else_notices() {
    let mut small = SmallFleet::patient();
    // Short timeouts, so that the gateway soon closes connections that only hold it up.
    for bound in ["HEAD", "BODY", "IDLE", "WRITE"] {
        small.set(&format!("GATEWAY_HTTP_{bound}"), "5");
    }
    let fleet = small.up().await;
    let pid = fleet.service("gateway").pid.unwrap();
    let keys = &fleet.account("partner").keys;
    let caller = Client::new(&fleet, &keys.test);
    let games = caller.all("/games", 100).await;
    let before = peak(pid);

    let floods = floods::all(&keys.live);
    let flooding = futures::stream::iter(&floods)
        .for_each_concurrent(AT_ONCE, async |flood| until_closed(&fleet, flood).await);
    // Slowly enough for the plan's minute.
    let mut pace = tokio::time::interval(Duration::from_millis(100));
    let mut served = 0;
    let calling = async {
        loop {
            pace.tick().await;
            let page = caller.get("/games?limit=1").await;
            assert_eq!(page.status, 200, "{}", page.text);
            served += 1;
        }
    };
    tokio::select! {
        () = flooding => {}
        () = calling => {}
    }
    assert!(served > 0, "nobody was served meanwhile");
    assert_eq!(caller.all("/games", 100).await, games);
    assert_eq!(
        small.fleet().service("gateway").pid,
        Some(pid),
        "the gateway was started anew"
    );
    // A panic in a connection's task closes the connection, which is what the flood waits for. Therefore check the log.
    assert!(!small.log("gateway").contains("panicked"));
    let grown = peak(pid) - before;
    assert!(grown < MEMORY, "grown by {grown} bytes");
}
