//! `deploy/test` in a checkout of its own, with a fake cargo, launcher and psql: which tests it runs, and what it says at its end.

use std::env;
use std::fs;
use std::iter;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::test_fleet::{eventually, is_alive, said};

/// A fake cargo. `cargo test` appends its arguments to the file `calls`, prints the file `output`, and fails if a test in it failed. Without
/// that file it runs until it is killed.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
    --version) echo 'cargo 1.99.0' ;;
    metadata*) echo "{\"target_directory\":\"$PWD/target\"}" ;;
    check*)
        echo new >"$FLEET_QUERIES/listings/query-2.json"
        echo same >"$FLEET_QUERIES/web/query-3.json"
        ;;
    *--no-run*) ;;
    test*)
        echo "$*" >>calls
        [ -e output ] || { echo $$ >pid; exec sleep 1800; }
        cat output
        ! grep -q FAILED output
        ;;
esac
"#;

const LAUNCHER: &str = r#"#!/bin/sh
echo "$1" >>launched
while [ "$1" != --dir ]; do shift; done
mkdir -p "$2/data" && : >"$2/lock"
[ ! -e slow ] || { rm slow; echo $$ >pid; exec sleep 1800; }
[ ! -e restarted ] || cp restarted "$2/logs/launcher.log"
cat >"$2/fleet.json" <<END
{
  "database_url": "postgres://fleet:secret@127.0.0.1:1/fleet",
  "redis_url": "redis://127.0.0.1:1",
}
END
"#;

/// A fake psql, which discards the SQL.
const PSQL: &str = r#"#!/bin/sh
case "$*" in
    *-c*) ;;
    *) cat >/dev/null ;;
esac
"#;

const FAILURE: &str = "failures:

---- a::b stdout ----
left: 1

failures:
    a::b

test result: FAILED. 2 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.01s
";

/// A checkout with `deploy/test`. Every other file is fake.
struct Checkout(TempDir);

impl Checkout {
    fn new() -> Self {
        let checkout = Self(tempfile::tempdir().unwrap());
        let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for file in ["test", "fleet/cargo.sh", "fleet/queries.sh"] {
            checkout
                .write(&format!("deploy/{file}"), &fs::read_to_string(deploy.join(file)).unwrap());
        }
        checkout.write("deploy/fleet/packages.sh", "require() { :; }\n");
        checkout.write("Cargo.toml", "rust-version = \"1.90\"\n");
        checkout.write("tests/Cargo.toml", "[[test]]\nname = \"operate\"\npath = \"main.rs\"\n");
        checkout.write("proto/src/plans.toml", "");
        checkout.write("deploy/data/long-deadlines.env", "");
        for (folder, schema) in [("listings-svc", "listings"), ("gateway/web", "web")] {
            let settings = format!("create-schemas = [\"{schema}\"]\n");
            checkout.write(&format!("{folder}/sqlx.toml"), &settings);
            checkout.write(&format!("{folder}/migrations/1.sql"), "");
        }
        checkout.write("listings-svc/.sqlx/query-1.json", "old\n");
        checkout.write("gateway/web/.sqlx/query-3.json", "same\n");
        checkout.write("programs/cargo", CARGO);
        checkout.write("programs/psql", PSQL);
        checkout.write("target/debug/fleet", LAUNCHER);
        let services =
            ["gateway", "web", "catalogue-svc", "listings-svc", "economy-svc", "webhook-svc"];
        for service in services {
            checkout.write(&format!("target/debug/{service}"), "#!/bin/sh\n");
        }
        checkout
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap_or_default()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.path("deploy/test"));
        let programs = self.path("programs");
        let path = env::var_os("PATH").unwrap();
        let path = env::join_paths(iter::once(programs).chain(env::split_paths(&path)));
        command.args(args).env("PATH", path.unwrap());
        command
    }

    fn test(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }
}

#[test]
fn failures_are_shown_as_a_whole_at_the_end_and_counted() {
    let checkout = Checkout::new();
    let passed = "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    checkout.write("output", &format!("{passed}test a::b ... FAILED\n{FAILURE}{passed}"));
    let output = checkout.test(&["-p", "listings"]);
    assert_eq!(output.status.code(), Some(1));
    let text = said(&output);
    assert_eq!(text.matches("left: 1").count(), 1, "{text}");
    let end = format!(
        "{FAILURE}Failed: tests\nfailed: a::b\n26 passed, 1 failed, 2 ignored (long tests and benchmarks: see tests/README.md)\n"
    );
    assert!(text.ends_with(&end), "{text}");
    assert!(!checkout.path(".fleet-test/data").exists());

    checkout.write("output", passed);
    let output = checkout.test(&["-p", "listings"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).ends_with("\n12 passed, 0 failed\n"), "{}", said(&output));
}

#[test]
fn options_select_the_tests() {
    let all = [
        "-p e2e -p features",
        "-pcatalogue -pgateway -pkit -p features",
        "--workspace --exclude e2e --exclude=catalogue --exclude=gateway --exclude=kit",
    ];
    let long = " -- --ignored --skip by_hand_";
    for (args, processes, selection) in [
        (&[][..], &all[..], String::new()),
        (&["--long"], &all, long.to_owned()),
        (&["swap"], &all, " swap".to_owned()),
        (&["-p", "e2e", "operate"], &all[..1], " --test operate".to_owned()),
        (&["-p", "e2e", "oper"], &all[..1], " oper".to_owned()),
        (&["-p", "listings", "operate"], &["-p listings -p features"], " operate".to_owned()),
        (&["--long", "-p", "kit", "mail"], &["-p kit -p features"], format!(" mail{long}")),
    ] {
        let checkout = Checkout::new();
        checkout.write("output", "test result: ok. 1 passed; 0 failed; 0 ignored\n");
        let output = checkout.test(args);
        assert!(output.status.success(), "{args:?}: {}", said(&output));
        let mut calls: Vec<_> = checkout.read("calls").lines().map(str::to_owned).collect();
        let mut expected: Vec<_> = processes
            .iter()
            .map(|process| format!("test --no-fail-fast {process}{selection}"))
            .collect();
        calls.sort();
        expected.sort();
        assert_eq!(calls, expected, "{args:?}");
    }
}

#[test]
fn a_name_that_no_test_has_is_a_failure() {
    let checkout = Checkout::new();
    checkout.write("output", "test result: ok. 0 passed; 0 failed; 0 ignored\n");
    let output = checkout.test(&["-p", "listings", "swpa"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("no name contains `swpa`"), "{}", said(&output));
}

/// Tests that wait for a service would pass after it was started again.
#[test]
fn a_service_that_ended_during_the_tests_is_a_failure() {
    let checkout = Checkout::new();
    checkout.write("output", "test result: ok. 1 passed; 0 failed; 0 ignored\n");
    checkout.write("restarted", "gateway: signal: 6; it restarts in 1 s\n");
    let output = checkout.test(&["-p", "listings"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("gateway: signal: 6"), "{}", said(&output));
}

#[test]
fn a_signal_ends_the_tests_and_the_fleet() {
    for starts_slowly in [false, true] {
        let checkout = Checkout::new();
        if starts_slowly {
            checkout.write("slow", "");
        }
        let script = checkout.command(&["-p", "listings"]).stdout(Stdio::piped()).spawn().unwrap();
        eventually("the fleet starts or the tests run", || checkout.read("pid").ends_with('\n'));
        kill(Pid::from_raw(i32::try_from(script.id()).unwrap()), Signal::SIGTERM).unwrap();
        let output = script.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let end = "0 passed, 0 failed, in the test binaries that had ended\n";
        assert!(said(&output).ends_with(end), "{}", said(&output));
        assert!(!is_alive(checkout.read("pid").trim().parse().unwrap()));
        assert_eq!(checkout.read("launched"), "up\ndown\n");
        assert!(!checkout.path(".fleet-test/data").exists());
    }
}

#[test]
fn stale_query_data_are_replaced_and_fail_the_checks() {
    for (option, succeeds) in [("--prepare", true), ("--checks", false)] {
        let checkout = Checkout::new();
        checkout.write("output", "test result: ok. 1 passed; 0 failed; 0 ignored\n");
        let output = checkout.test(&[option]);
        assert_eq!(output.status.success(), succeeds, "{option}: {}", said(&output));
        let end = "Regenerated the query data of listings: commit the changes";
        assert!(said(&output).contains(end), "{option}: {}", said(&output));
        assert!(!checkout.path("listings-svc/.sqlx/query-1.json").exists());
        assert_eq!(checkout.read("listings-svc/.sqlx/query-2.json"), "new\n");
    }
}

#[test]
fn packages_of_the_tests_are_installed_or_named() {
    let checkout = Checkout::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages.sh");
    for program in ["sh", "id", "env"] {
        symlink(format!("/usr/bin/{program}"), checkout.path("programs").join(program)).unwrap();
    }
    let require = || {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", r#". "$0"; require sh=dash no-such-program=a-package"#]).arg(&script);
        let output = shell.env("PATH", checkout.path("programs")).output().unwrap();
        (output.status.success(), said(&output))
    };
    let (succeeds, text) = require();
    assert!(
        !succeeds && text.contains("a-package missing: run `apt-get install a-package`"),
        "{text}"
    );

    checkout.write("programs/sudo", "#!/bin/sh\nexec \"$@\"\n");
    checkout.write("programs/apt-get", "#!/bin/sh\nexit 100\n");
    let (succeeds, text) = require();
    assert!(!succeeds && text.contains("apt-get did not install a-package"), "{text}");

    let program = checkout.path("programs/no-such-program");
    let install = format!(
        "#!/bin/sh\n[ $1 = update ] && exit 1\n: >{0}\n/bin/chmod +x {0}\n",
        program.display()
    );
    checkout.write("programs/apt-get", &install);
    let (succeeds, text) = require();
    assert!(succeeds && text.contains("Installing a-package\n"), "{text}");
}
