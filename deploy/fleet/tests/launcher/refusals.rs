//! Errors of the environment: `up` prints one sentence that says what to do, and leaves nothing running.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use crate::test_fleet::{TestFleet, said};

/// Runs `up`, which must fail; returns its last line.
fn refusal(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(!output.status.success(), "{}", said(&output));
    let text = said(&output);
    let last = text.lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("fleet: "), "{text}");
    last
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[test]
fn a_port_in_use_is_refused() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let fleet = TestFleet::new();
    let said = refusal(fleet.command("up").args(["--port", &port]));
    contains(&said, &[&format!("port {port} is taken"), "--port"]);
}

#[test]
fn a_status_that_cannot_be_written_is_an_error_unless_nobody_reads_it() {
    let fleet = TestFleet::new();
    let full = File::options().write(true).open("/dev/full").unwrap();
    refusal(fleet.command("status").stdout(full));
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let ended = fleet.command("status").stdout(writer).output().unwrap();
    assert_eq!((ended.status.code(), said(&ended)), (Some(141), String::new()));
}

#[test]
fn an_external_database_and_redis_are_used() {
    let owner = TestFleet::new();
    owner.must_start(&[]);
    let admin = owner.manifest()["database_url"].as_str().unwrap().to_owned();
    // The requirements of the README: the user may create roles and owns the database, but is not a superuser.
    TestFleet::sql(&admin, "create role maker login createrole password 'pw'");
    for service in ["gateway", "catalogue", "listings", "economy", "webhook", "web"] {
        TestFleet::sql(&admin, &format!("drop schema {service} cascade"));
        let roles = format!("{service}, {service}_owner");
        TestFleet::sql(&admin, &format!("drop owned by {roles}"));
        TestFleet::sql(&admin, &format!("drop role {roles}"));
    }
    TestFleet::sql(&admin, "create database given owner maker");
    let server = admin.split_once('@').unwrap().1.split_once('/').unwrap().0;
    let url = format!("postgres://maker:pw@{server}/given");
    let redis = owner.manifest()["redis_url"].as_str().unwrap().to_owned();
    let fleet = TestFleet::new();
    // The second start finds the roles of the first.
    for _ in 0..2 {
        let output = fleet
            .command("up")
            .arg("--detach")
            .env("DATABASE_URL", &url)
            .env("REDIS_URL", &redis)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        assert!(!fleet.dir().join("data").exists());
        let economy =
            fleet.manifest()["database_owner_urls"]["economy"].as_str().unwrap().to_owned();
        let made =
            TestFleet::sql(&economy, "create table if not exists economy.a (); select 'made'");
        assert!(made.ends_with("made"), "{made}");
        fleet.down();
    }
}

#[test]
fn a_service_that_cannot_start_shows_its_log() {
    let fleet = TestFleet::new();
    let output = fleet.command("up").env("STAND_IN_FAILS", "catalogue-svc").output().unwrap();
    let text = said(&output);
    assert!(!output.status.success());
    contains(
        &text,
        &[
            "catalogue-svc: a test makes this start fail",
            "fleet: catalogue-svc ended with status 1 at its start",
        ],
    );
    fleet.assert_stopped();
}

/// The start ends before it starts anything: a binary is missing.
#[test]
fn packages_that_are_missing_are_installed_or_named() {
    let fleet = TestFleet::new();
    fs::remove_file(fleet.bin_dir().join("gateway")).unwrap();
    let programs = fleet.bin_dir().with_file_name("programs");
    fs::create_dir(&programs).unwrap();
    let script = |name: &str, text: &str| {
        let path = programs.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    for name in ["sh", "setpriv", "env", "id"] {
        symlink(format!("/usr/bin/{name}"), programs.join(name)).unwrap();
    }
    let up = || refusal(fleet.command("up").env("PATH", &programs));
    contains(&up(), &["redis-server missing: run `apt-get install redis-server` as root"]);

    script("sudo", "exec env \"$@\"");
    script("apt-get", "exit 100");
    contains(&up(), &["apt-get did not install redis-server"]);

    let redis = programs.join("redis-server");
    let install = format!("[ $1 = update ] || {{ : >{0}; /bin/chmod +x {0}; }}", redis.display());
    script("apt-get", &install);
    contains(&up(), &["has no gateway"]);
    assert!(redis.exists());
}
