//! Starts after a launcher or its children were killed.

use std::fs;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::test_fleet::{TestFleet, eventually, is_alive};

#[test]
fn children_die_with_their_launcher_and_the_next_start_works() {
    let fleet = TestFleet::new();
    fleet.must_start(&[]);
    let keys = fleet.manifest()["accounts"].clone();
    let pids = fleet.pids();
    kill(Pid::from_raw(fleet.launcher()), Signal::SIGKILL).unwrap();
    eventually("the kernel ends the children", || !pids.iter().any(|pid| is_alive(*pid)));
    fleet.assert_stopped();
    fleet.must_start(&[]);
    assert_eq!(fleet.manifest()["accounts"], keys);
}

#[test]
fn another_process_with_a_recorded_pid_is_not_ended() {
    let fleet = TestFleet::new();
    fleet.must_start(&[]);
    let manifest = fs::read_to_string(fleet.dir().join("fleet.json")).unwrap();
    fleet.down();
    let mut stranger = Command::new("sleep").arg("1800").stdout(Stdio::null()).spawn().unwrap();
    let (pid, id) = (i32::try_from(stranger.id()).unwrap(), stranger.id());
    // Simulate a killed launcher whose pids have all been reused.
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    for list in ["services", "servers"] {
        for child in manifest[list].as_array_mut().unwrap() {
            child["pid"] = id.into();
        }
    }
    let stale = || {
        fs::write(fleet.dir().join("fleet.json"), manifest.to_string()).unwrap();
        fs::write(fleet.dir().join("lock"), id.to_string()).unwrap();
    };
    stale();
    assert!(fleet.down().contains("The launcher was killed"));
    assert!(is_alive(pid));
    stale();
    fleet.must_start(&[]);
    assert!(is_alive(pid));
    fleet.down();
    assert!(is_alive(pid));
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}
