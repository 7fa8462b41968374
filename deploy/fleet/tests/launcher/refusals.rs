//! Errors of the environment: `up` prints one sentence that says what to do, and leaves nothing running.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::bench::{Bench, said};

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
fn a_port_in_use() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let bench = Bench::new();
    let said = refusal(bench.command("up").args(["--port", &port]));
    contains(&said, &[&format!("port {port} is taken"), "--port"]);
}

#[test]
fn invalid_urls() {
    let bench = Bench::new();
    let said = refusal(bench.command("up").env("DATABASE_URL", "localhost:5432"));
    contains(
        &said,
        &["DATABASE_URL is not a PostgreSQL URL", "postgres://"],
    );
}

/// Of the folder that `deploy/secrets` has written, only the file is missing that is looked for last.
#[test]
fn a_folder_without_a_certificate() {
    let secrets = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../secrets");
    let written = Command::new(script).arg(secrets.path()).output().unwrap();
    assert!(written.status.success(), "{}", said(&written));
    let tls = secrets.path().join("tls");
    fs::remove_file(tls.join("staff/ca.crt")).unwrap();
    let bench = Bench::new();
    let said = refusal(bench.command("up").arg("--tls").arg(&tls));
    contains(&said, &["has no staff/ca.crt", "deploy/secrets"]);
}

#[test]
fn a_database_that_does_not_answer() {
    // Nothing listens on port 1, and no other test gets it.
    let bench = Bench::new();
    let url = "postgres://a:geheim@127.0.0.1:1/b";
    let said = refusal(bench.command("up").env("DATABASE_URL", url));
    contains(
        &said,
        &["DATABASE_URL", "port 1 failed", "Connection refused"],
    );
    assert!(!said.contains("geheim"));
}

#[test]
fn users_of_an_external_database() {
    let owner = Bench::new();
    owner.must_come_up(&[]);
    let admin = owner.manifest()["database_url"]
        .as_str()
        .unwrap()
        .to_owned();
    let redis = owner.manifest()["redis_url"].as_str().unwrap().to_owned();
    let made = Bench::sql(
        &admin,
        "create role small login password 'pw'; create role maker login createrole password 'pw'; select 'made'",
    );
    assert_eq!(made, "made");
    // Separately: a database cannot be created inside a transaction.
    Bench::sql(&admin, "create database given owner maker");
    let url = |user: &str, password: &str, database: &str| {
        let server = admin.split_once('@').unwrap().1.split_once('/').unwrap().0;
        format!("postgres://{user}:{password}@{server}/{database}")
    };
    let bench = Bench::new();
    let cases = [
        (
            url("maker", "wrong", "given"),
            "password authentication failed for user \"maker\"",
        ),
        (
            url("maker", "pw", "none"),
            "database \"none\" does not exist",
        ),
        (url("small", "pw", "given"), "may not create roles"),
        // The roles belong to the first fleet and keep their passwords.
        (url("maker", "pw", "given"), "already has a role"),
    ];
    for (url, sentence) in cases {
        let said = refusal(
            bench
                .command("up")
                .env("DATABASE_URL", url)
                .env("REDIS_URL", &redis),
        );
        contains(&said, &[sentence, "DATABASE_URL"]);
    }
    let listings = owner.manifest()["database_urls"]["listings"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(Bench::sql(&listings, "select 'still in'"), "still in");
}

#[test]
fn an_external_database_and_redis_are_used() {
    let owner = Bench::new();
    owner.must_come_up(&[]);
    let admin = owner.manifest()["database_url"]
        .as_str()
        .unwrap()
        .to_owned();
    // A user as in the README: may create roles, owns the database, and is not a superuser.
    Bench::sql(&admin, "create role maker login createrole password 'pw'");
    for service in [
        "gateway",
        "catalogue",
        "listings",
        "economy",
        "webhook",
        "web",
    ] {
        Bench::sql(&admin, &format!("drop schema {service} cascade"));
        let roles = format!("{service}, {service}_owner");
        Bench::sql(&admin, &format!("drop owned by {roles}"));
        Bench::sql(&admin, &format!("drop role {roles}"));
    }
    Bench::sql(&admin, "create database given owner maker");
    let server = admin.split_once('@').unwrap().1.split_once('/').unwrap().0;
    let url = format!("postgres://maker:pw@{server}/given");
    let redis = owner.manifest()["redis_url"].as_str().unwrap().to_owned();
    let bench = Bench::new();
    // Twice: the second start finds its own roles.
    for _ in 0..2 {
        let output = bench
            .command("up")
            .arg("--detach")
            .env("DATABASE_URL", &url)
            .env("REDIS_URL", &redis)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        assert!(!bench.dir().join("data").exists());
        let economy = bench.manifest()["database_owner_urls"]["economy"]
            .as_str()
            .unwrap()
            .to_owned();
        let made = Bench::sql(
            &economy,
            "create table if not exists economy.a (); select 'made'",
        );
        assert!(made.ends_with("made"), "{made}");
        bench.down();
    }
}

#[test]
fn a_service_that_cannot_start_shows_its_log() {
    let bench = Bench::new();
    let output = bench
        .command("up")
        .env("STAND_IN_FAILS", "catalogue-svc")
        .output()
        .unwrap();
    let text = said(&output);
    assert!(!output.status.success());
    contains(
        &text,
        &[
            "catalogue-svc: a test makes this start fail",
            "fleet: catalogue-svc ended with status 1 at its start",
        ],
    );
    assert_eq!(bench.status()["state"], "stopped");
}

#[test]
fn a_migration_that_fails_is_shown() {
    let bench = Bench::new();
    let mut up = bench.command("up");
    let said = refusal(up.env("STAND_IN_MIGRATION_FAILS", "economy-svc"));
    let wanted = "`economy-svc migrate` failed: economy-svc: a test makes this migration fail";
    contains(&said, &[wanted]);
    assert_eq!(bench.status()["state"], "stopped");
}

#[test]
fn a_machine_without_packages() {
    let bench = Bench::new();
    let programs = bench.bin_dir().with_file_name("programs");
    fs::create_dir(&programs).unwrap();
    let script = |name: &str, text: &str| {
        let path = programs.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    for name in ["sh", "setpriv", "psql", "test", "ln", "env"] {
        symlink(format!("/usr/bin/{name}"), programs.join(name)).unwrap();
    }
    let up = || {
        let mut command = bench.command("up");
        command.env("PATH", &programs);
        command
    };
    let said = refusal(&mut up());
    contains(&said, &["redis-server", "apt-get is not there"]);

    // An apt-get that fails, and one that installs the packages.
    script("apt-get", "echo E: no network >&2; exit 100");
    script("sudo", "shift; exec \"$@\"");
    let said = refusal(&mut up());
    contains(
        &said,
        &[
            "apt-get did not install redis-server",
            "install them yourself",
        ],
    );
    script(
        "apt-get",
        &format!(
            "[ $1 = update ] || ln -s /usr/bin/redis-server {}/",
            programs.display()
        ),
    );
    let output = up().arg("--detach").output().unwrap();
    assert!(output.status.success(), "{}", crate::bench::said(&output));
}
