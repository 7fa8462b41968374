//! Start, restart of a child, stop, and start again with the same data.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::test_fleet::{TestFleet, eventually, is_alive, said};

#[test]
fn data_and_keys_survive_down_and_up() {
    let fleet = TestFleet::new();
    let first = fleet.must_start(&[]);
    assert!(first.contains("games-without-year   1 rows, 9 refused"), "{first}");
    let has_activity = |said: &str| {
        let clock = fs::read_to_string(fleet.dir().join("clock")).unwrap();
        assert_eq!(clock, "", "the fleet's clock is right: {said}");
        said.contains("a month of reports")
    };
    assert!(has_activity(&first), "{first}");
    let last = first.lines().last();
    assert_eq!(last, Some("A month of activity: 31 days, 400 votes, 31 reports"));
    let before = fleet.manifest();
    let keys = before["accounts"][0]["keys"].as_object().unwrap();
    let mut names: Vec<&str> = keys.keys().map(String::as_str).collect();
    names.sort_unstable();
    let all = [
        "live",
        "live_public",
        "live_secret",
        "live_write",
        "revoked",
        "test",
        "test_secret",
        "test_write",
    ];
    assert_eq!(names, all);
    // The output shows keys to try, including those of a game.
    for name in ["live", "live_write", "test", "live_secret", "live_public"] {
        assert!(first.contains(keys[name].as_str().unwrap()), "{name}: {first}");
    }
    let game = before["accounts"][0]["games"][0].as_str().unwrap();
    assert!(first.contains(&format!("game        {game}")), "{first}");
    let owner = before["database_url"].as_str().unwrap();
    assert_eq!(TestFleet::sql(owner, "create table economy.kept (); select 'made'"), "made");
    let pids = fleet.pids();
    assert_eq!(fleet.down().lines().last(), Some("Stopped; data and keys are kept"));
    assert!(!pids.iter().any(|pid| is_alive(*pid)), "something still runs");

    let second = fleet.must_start(&[]);
    assert!(second.contains("already imported"), "{second}");
    assert!(!has_activity(&second), "{second}");
    let after = fleet.manifest();
    assert_eq!(after["accounts"], before["accounts"]);
    let owner = after["database_url"].as_str().unwrap();
    assert_eq!(TestFleet::sql(owner, "select count(*) from economy.kept"), "0");
    // Another launcher may take the ports while the fleet is stopped. The fleet then gets new ports and keeps those.
    let mut last = before["base_url"].clone();
    let keeps_its_ports = (0..5).any(|_| {
        let now = fleet.manifest()["base_url"].clone();
        let is_kept = now == last;
        last = now;
        if !is_kept {
            fleet.down();
            fleet.must_start(&[]);
        }
        is_kept
    });
    assert!(keeps_its_ports, "{last}");
    fleet.down();

    let third = fleet.must_start(&["--fresh", "--no-activity"]);
    assert!(!has_activity(&third), "{third}");
    let fresh = fleet.manifest();
    assert_ne!(fresh["accounts"], before["accounts"]);
    let owner = fresh["database_url"].as_str().unwrap();
    assert!(TestFleet::sql(owner, "select from economy.kept").contains("does not exist"));
}

#[test]
fn the_last_line_says_that_the_activity_is_incomplete() {
    let fleet = TestFleet::new();
    let up = fleet.command("up").arg("--detach").env("STAND_IN_FAILS", "local-activity").output();
    let up = up.unwrap();
    assert!(up.status.success(), "{}", said(&up));
    let text = said(&up);
    let reason = "local-activity: a test makes this start fail";
    let expected = format!("The month of activity is incomplete: {reason}");
    assert_eq!(text.lines().last(), Some(&*expected));
    assert_eq!(fs::read_to_string(fleet.dir().join("clock")).unwrap(), "");
}

#[test]
fn a_child_that_is_killed_restarts_at_its_address() {
    let fleet = TestFleet::new();
    fleet.must_start(&["--replicas", "webhook-svc=2"]);
    let addresses = fleet.dir().join("addresses/webhook-svc");
    let lines = || fs::read_to_string(&addresses).unwrap().lines().count();
    assert_eq!(lines(), 2);
    let before = fs::read_to_string(&addresses).unwrap();
    let pid = fleet.pid("webhook-svc-2").unwrap();
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    let is_back = || fleet.pid("webhook-svc-2").is_some_and(|now| now != pid);
    // On a busy machine, the child may be back before the test looks.
    eventually("its address is removed from the file", || lines() == 1 || is_back());
    eventually("it is back with another pid", || lines() == 2 && is_back());
    assert_eq!(fs::read_to_string(&addresses).unwrap(), before);
    eventually("all are ready", || fleet.status().status.success());
    for service in fleet.manifest()["services"].as_array().unwrap() {
        // Only the gateway and web have a public port.
        let is_public = service["name"] == "gateway" || service["name"] == "web";
        assert_eq!(service["http"].is_string(), is_public);
    }
    let log = fs::read_to_string(fleet.dir().join("logs/launcher.log")).unwrap();
    assert!(log.contains("webhook-svc-2 was ended by signal 9; it restarts in 1 s"), "{log}");
}

#[test]
fn a_second_up_reports_the_running_fleet() {
    let fleet = TestFleet::new();
    fleet.must_start(&[]);
    let pids = fleet.pids();
    let second = fleet.must_start(&[]);
    assert!(second.contains("The fleet is running"), "{second}");
    // The output names only commands that work for this folder.
    let down = format!("deploy/down --dir {}", fleet.dir().display());
    assert_eq!(second.matches(&down).count(), 1, "{second}");
    assert_eq!(second.matches("deploy/").count(), 1, "{second}");
    assert!(second.contains("fleet.json"), "{second}");
    let ignored = fleet.must_start(&["--port", "1"]);
    assert!(ignored.contains("options of its start"), "{ignored}");
    assert_eq!(fleet.pids(), pids);
    let fresh = fleet.up(&["--fresh"]);
    assert!(!fresh.status.success() && said(&fresh).contains("stop it first"), "{}", said(&fresh));
}

#[test]
fn ctrl_c_ends_all_processes() {
    let fleet = TestFleet::new();
    let mut launcher = fleet.command("up").stdout(std::process::Stdio::null()).spawn().unwrap();
    eventually("it is up", || fleet.status().status.success());
    let pids = fleet.pids();
    kill(Pid::from_raw(i32::try_from(launcher.id()).unwrap()), Signal::SIGINT).unwrap();
    assert!(launcher.wait().unwrap().success());
    assert!(!pids.iter().any(|pid| is_alive(*pid)), "something still runs");
    fleet.assert_stopped();
}
