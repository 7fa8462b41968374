//! The first start of a fleet on a machine that others keep busy.

use std::iter;

use contracts::public::RankingRow;
use e2e::{SmallFleet, Staff, eventually};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

/// Processes that always want the core of the fleet.
const BUSY: usize = 2;
/// With a sixth of the share of each of them (nice(2)), the fleet is as slow as beside twelve,
/// which would slow other tests too.
const NICE: i32 = 8;

/// Keeps a core busy until it is dropped, or this process ends.
fn busy_loop() -> Child {
    let mut shell = Command::new("sh");
    shell.args(["-c", "while kill -0 $PPID; do :; done"]);
    shell.kill_on_drop(true).spawn().unwrap()
}

#[tokio::test]
#[ignore = "long: a new fleet starts on one core, beside busy loops"]
async fn a_fleet_that_starts_beside_busy_loops_has_all_rankings() {
    // What this thread starts stays on its core.
    let mut core = CpuSet::new();
    core.set(0).unwrap();
    sched_setaffinity(Pid::from_raw(0), &core).unwrap();
    let busy: Vec<Child> = iter::repeat_with(busy_loop).take(BUSY).collect();
    rustix::process::nice(NICE).unwrap();
    let mut small = SmallFleet::patient();
    small.create_activity();
    let fleet = small.up().await;
    drop(busy);
    let client = Staff::new(&fleet).await.caller(&fleet, "unlimited").await;
    for kind in ["games", "creators"] {
        for window in ["week", "month"] {
            let path = format!("/rankings/{kind}/{window}");
            eventually(&format!("{path} has rows"), async || {
                let rows: Vec<RankingRow> = client.rows(&path, 100).await;
                (!rows.is_empty()).then_some(())
            })
            .await;
        }
    }
    let last = small.last_line();
    assert!(last.starts_with("A month of activity: 31 days, "), "{last}");
}
