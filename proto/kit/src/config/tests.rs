use std::ffi::OsString;

use clap::Args;

use super::arguments::{Request, load_from};
use super::{Common, Settings};

#[derive(Debug, Args)]
struct Example {
    #[command(flatten)]
    common: Common,
    /// How many
    #[arg(long, default_value_t = 3)]
    size: u32,
    /// Where another service is
    #[arg(long, default_value = "http://127.0.0.1:1")]
    other_addresses: String,
    /// Where Redis is
    #[arg(long, default_value = "rediss://redis")]
    redis_url: String,
}

impl Settings for Example {
    const SERVICE: &'static str = "example-svc";
    const PREFIX: &'static str = "EXAMPLE_TEST";
    const ABOUT: &'static str = "An example";
    fn common(&self) -> &Common {
        &self.common
    }
}

const FLEET: &str = "fleet-token-fleet-token-fleet-token";
const STAFF: &str = "staff-token-staff-token-staff-token";

fn request(args: &[&str]) -> Result<Request<Example>, clap::Error> {
    load_from(std::iter::once("example-svc").chain(args.iter().copied()).map(OsString::from))
}

fn load(args: &[&str]) -> Result<Example, clap::Error> {
    match request(args)? {
        Request::Serve(settings) => Ok(settings),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_problem_is_named_without_secrets() {
    let text = load(&["--size=many", "--fleet-token=short-secret", "--profile=moon"])
        .unwrap_err()
        .to_string();
    for part in [
        "EXAMPLE_TEST_SIZE",
        "EXAMPLE_TEST_FLEET_TOKEN",
        "EXAMPLE_TEST_STAFF_TOKEN",
        "EXAMPLE_TEST_DATABASE_URL",
        "EXAMPLE_TEST_PROFILE",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(!text.contains("short-secret"), "{text}");
}

#[test]
fn no_token_is_both_of_the_fleet_and_of_staff() {
    let load = |staff: &str| {
        let tokens =
            [format!("--fleet-token={FLEET}-1,{FLEET}-2"), format!("--staff-token={staff}")];
        let database = "--database-url=postgres://h/d";
        load(&["--profile=local", database, &tokens[0], &tokens[1]])
    };
    assert!(load(&format!("{STAFF}-1,{STAFF}-2")).is_ok());
    let text = load(&format!("{STAFF},{FLEET}-2")).unwrap_err().to_string();
    assert!(text.contains("staff_token"), "{text}");
    assert!(!text.contains(FLEET), "{text}");
}

#[test]
fn production_has_no_clock_that_tests_move() {
    let text = load_with(&["--clock-file=/tmp/clock"]).unwrap_err();
    assert!(text.contains("clock_file"), "{text}");
}

/// Valid settings, and more.
fn load_with(more: &[&str]) -> Result<Example, String> {
    load_at("postgres://127.0.0.1/d", more)
}

fn load_at(database: &str, more: &[&str]) -> Result<Example, String> {
    let given = [
        format!("--database-url={database}"),
        format!("--fleet-token={FLEET}"),
        format!("--staff-token={STAFF}"),
    ];
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    load(&[&given[..], more].concat()).map_err(|error| error.to_string())
}

#[test]
fn production_refuses_ports_and_addresses_without_tls_off_loopback() {
    let load = load_with;
    let tls = ["--tls-certificate=a", "--tls-key=b", "--tls-ca=c"];
    for plain in [
        "--grpc-listen=0.0.0.0:7000",
        "--other-addresses=http://127.0.0.1:1, http://10.0.0.5:7000",
        "--other-addresses=dns:http://other:7000",
    ] {
        let text = load(&[plain]).unwrap_err();
        let flag = plain.split('=').next().unwrap().trim_start_matches("--");
        let id = flag.replace('-', "_");
        assert!(text.contains(flag) || text.contains(&id), "{plain}: {text}");
        assert!(load(&["--profile=local", plain]).is_ok(), "{plain}");
    }
    let listen = "--grpc-listen=0.0.0.0:7000";
    assert!(load(&[&tls[..], &[listen]].concat()).is_ok());
    assert!(load(&["--other-addresses=file:/run/other"]).is_ok());

    let https = "--other-addresses=https://10.0.0.5:7000";
    assert!(load(&[&tls[..], &[https]].concat()).is_ok());
    let text = load(&["--profile=local", https]).unwrap_err();
    assert!(text.contains("tls_certificate"), "{text}");
    let text = load(&["--profile=local", tls[0]]).unwrap_err();
    assert!(text.contains("all three or none"), "{text}");
}

#[test]
fn production_refuses_postgresql_without_tls_off_this_machine() {
    for good in [
        "postgres://u:p@localhost/d",
        "postgres://127.0.0.2/d",
        "postgres://[::1]/d",
        "postgres://%2Frun%2Fpostgresql/d",
        "postgres://h/d?host=/run/postgresql",
        "postgres://h/d?sslmode=require",
        "postgres://h/d?sslmode=verify-ca",
        "postgres://h/d?sslmode=verify-full",
    ] {
        assert!(load_at(good, &[]).is_ok(), "{good}");
    }
    let said = "EXAMPLE_TEST_DATABASE_URL (--database-url): h is reached without TLS";
    for bad in [
        "postgres://u:hush-hush@h/d",
        "postgres://localhost/d?host=h",
        "postgres://h/d?sslmode=disable",
        "postgres://h/d?sslmode=allow",
        "postgres://h/d?sslmode=prefer",
    ] {
        let text = load_at(bad, &[]).unwrap_err();
        assert!(text.contains(said), "{bad}: {text}");
        assert!(text.contains("?sslmode=verify-full"), "{text}");
        assert!(!text.contains("hush-hush"), "{text}");
        assert!(load_at(bad, &["--profile=local"]).is_ok(), "{bad}");
        for (hosts, is_accepted) in [("h", true), ("redis, h", true), ("i", false)] {
            let hosts = format!("--plaintext-hosts={hosts}");
            let loaded = load_at(bad, &[&hosts]);
            assert_eq!(loaded.is_ok(), is_accepted, "{hosts}");
        }
    }
}

#[test]
fn production_refuses_redis_without_tls_off_this_machine() {
    let load = |url: &str, more: &str| load_with(&[&format!("--redis-url={url}"), more]);
    for good in [
        "redis://u:p@localhost:6379/1",
        "redis+cluster://127.0.0.1:1,[::1]:2",
        "unix:///run/redis.sock",
        "rediss://h:6379",
        "rediss+cluster://h:1,i:2",
    ] {
        assert!(load(good, "--profile=production").is_ok(), "{good}");
    }
    for bad in ["redis://:hush-hush@h:6379/1", "redis+cluster://127.0.0.1:1,h:2"] {
        let text = load(bad, "--profile=production").unwrap_err();
        let said = "EXAMPLE_TEST_REDIS_URL (--redis-url): h is reached without TLS";
        assert!(text.contains(said), "{bad}: {text}");
        assert!(text.contains("rediss://"), "{text}");
        assert!(!text.contains("hush-hush"), "{text}");
        assert!(load(bad, "--profile=local").is_ok(), "{bad}");
        assert!(load(bad, "--plaintext-hosts=h").is_ok(), "{bad}");
    }
}

#[test]
fn migrations_need_no_setting_but_a_database() {
    let url = |args: &[&str]| match request(args) {
        Ok(Request::Migrate(migration, _)) => migration.url.expose().to_owned(),
        other => panic!("{other:?}"),
    };
    let (own, owner) = (
        "--database-url=postgres://runtime@[::1]/d",
        "--database-owner-url=postgres://owner@[::1]/d",
    );
    assert_eq!(url(&["migrate", own]), "postgres://runtime@[::1]/d");
    assert_eq!(url(&["migrate", own, owner]), "postgres://owner@[::1]/d");
    let exposed = "--database-owner-url=postgres://owner:hush-hush@h/d";
    let text = request(&["migrate", exposed]).unwrap_err().to_string();
    assert!(
        text.contains("EXAMPLE_TEST_DATABASE_OWNER_URL") && text.contains("h is reached"),
        "{text}"
    );
    assert!(!text.contains("hush-hush"), "{text}");
    for accepting in ["--plaintext-hosts=h", "--profile=local"] {
        let accepted = url(&["migrate", exposed, accepting]);
        assert_eq!(accepted, "postgres://owner:hush-hush@h/d");
    }
    let text = request(&["migrate"]).unwrap_err().to_string();
    assert!(text.contains("EXAMPLE_TEST_DATABASE_OWNER_URL is not set"), "{text}");
    let text = request(&["migrate", "--database-url=a-secret"]).unwrap_err().to_string();
    assert!(text.contains("EXAMPLE_TEST_DATABASE_URL") && !text.contains("a-secret"));
}

#[test]
fn numbers_with_which_a_service_would_not_work_are_refused() {
    for bad in [
        "--database-connections=0",
        "--database-connections=3",
        "--database-connections=4294967295",
        "--database-deadline=0",
        "--database-statement-timeout=0",
        "--database-statement-timeout=2147484",
        "--database-lock-timeout=0",
        "--database-idle-in-transaction-timeout=0",
        "--drain=18446744073709551615",
        "--shutdown-delay=-1",
    ] {
        let text = load_with(&["--profile=local", bad]).unwrap_err();
        let flag = bad.split('=').next().unwrap();
        assert!(text.contains(flag), "{bad}: {text}");
    }
    let least = ["--profile=local", "--database-connections=4", "--drain=0"];
    assert!(load_with(&least).is_ok());
}
