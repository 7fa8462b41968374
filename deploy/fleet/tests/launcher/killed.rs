//! What a killed launcher leaves behind.

use std::fs;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::bench::{Bench, eventually, is_alive};

#[test]
fn children_die_with_their_launcher_and_the_next_start_works() {
    let bench = Bench::new();
    bench.must_come_up(&[]);
    let keys = bench.manifest()["accounts"].clone();
    let pids = bench.pids();
    let launcher = bench.run()["launcher"]["pid"].as_i64().unwrap();
    kill(
        Pid::from_raw(i32::try_from(launcher).unwrap()),
        Signal::SIGKILL,
    )
    .unwrap();
    eventually("the kernel ends the children", || {
        !pids.iter().any(|pid| is_alive(*pid))
    });
    assert_eq!(bench.status()["state"], "stopped");
    bench.must_come_up(&[]);
    assert_eq!(bench.manifest()["accounts"], keys);
}

#[test]
fn postgres_and_everything_else_killed_at_once_is_no_harm() {
    let bench = Bench::new();
    bench.must_come_up(&[]);
    // A port that is not free again at once is given up for another.
    let owner = || {
        bench.manifest()["database_url"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        Bench::sql(&owner(), "create table economy.kept (); select 'made'"),
        "made"
    );
    // The launcher last in the list goes first, so that it restarts nobody.
    let pids = bench.pids();
    for pid in pids.iter().rev() {
        let killed = kill(Pid::from_raw(*pid), Signal::SIGKILL);
        // A child may be gone already, by the kernel's hand.
        assert!(
            matches!(killed, Ok(()) | Err(nix::Error::ESRCH)),
            "{killed:?}"
        );
    }
    // A launcher that has not died yet still holds the folder, and `up` would say that the fleet runs.
    eventually("the killed die", || !pids.iter().any(|pid| is_alive(*pid)));
    assert!(bench.dir().join("data/postgres/postmaster.pid").exists());
    bench.must_come_up(&[]);
    assert_eq!(
        Bench::sql(&owner(), "select count(*) from economy.kept"),
        "0"
    );
}

#[test]
fn a_strangers_process_with_a_recorded_number_is_left_alone() {
    let bench = Bench::new();
    bench.must_come_up(&[]);
    let run = bench.dir().join("run.json");
    let record = fs::read_to_string(&run).unwrap();
    bench.down();
    let mut stranger = Command::new("sleep")
        .arg("60")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (pid, id) = (i32::try_from(stranger.id()).unwrap(), stranger.id());
    // As if the numbers had come round: the record's number is the stranger's, its start time is not.
    let mut record: serde_json::Value = serde_json::from_str(&record).unwrap();
    for child in record["children"].as_array_mut().unwrap() {
        child["pid"] = id.into();
    }
    fs::write(&run, record.to_string()).unwrap();
    bench.must_come_up(&[]);
    assert!(is_alive(pid));
    bench.down();
    assert!(is_alive(pid));
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn down_cleans_up_after_a_killed_launcher() {
    let bench = Bench::new();
    assert!(bench.down().contains("No fleet runs here"));
    bench.must_come_up(&[]);
    let launcher = bench.run()["launcher"]["pid"].as_i64().unwrap();
    kill(
        Pid::from_raw(i32::try_from(launcher).unwrap()),
        Signal::SIGKILL,
    )
    .unwrap();
    let pids = bench.pids();
    bench.down();
    assert!(
        !pids.iter().any(|pid| is_alive(*pid)),
        "something still runs"
    );
    assert!(!bench.dir().join("run.json").exists());
}
