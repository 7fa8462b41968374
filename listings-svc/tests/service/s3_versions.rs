//! Pictures that were deleted come back from the versions of a bucket, by `deploy/backup/pictures`.

use std::path::Path;
use std::process::Output;

use kit::Clock;
use listings::domain::pictures::FileName;
use listings::pictures::FileStore;
use tempfile::TempDir;
use testing::wait_until;
use time::format_description::well_known::Rfc3339;
use tokio::process::Command;

use crate::s3::{S3, plain, settings, start};

const CLI: &str = "awscli==1.46.2";
const PICTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/backup/pictures");

/// The AWS CLI in a folder of its own: the scripts of a Python environment have the path at which it was made.
async fn cli() -> TempDir {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = testing::python::environment(folder, CLI, &[]).await;
    let python = environment.unwrap().join("bin/python");
    let script = format!("#!/bin/sh\nexec '{}' -m awscli \"$@\"\n", python.display());
    let programs = tempfile::tempdir().unwrap();
    // A shell writes it: a child of another test cannot inherit the open file, with which the program would be busy.
    let write = "printf %s \"$1\" >\"$2\" && chmod 755 \"$2\"";
    let aws = programs.path().join("aws");
    let mut shell = Command::new("sh");
    let written = shell.args(["-c", write, "sh", &script]).arg(aws).status();
    assert!(written.await.unwrap().success());
    programs
}

/// Runs a program with the AWS CLI and its keys, and nothing else of the user.
async fn run(
    programs: &TempDir,
    program: &str,
    args: &[&str],
    settings: &[(&str, &str)],
) -> Output {
    let folder = programs.path().display();
    let mut command = Command::new("env");
    command
        .arg(program)
        .args(args)
        .env_clear()
        .env("PATH", format!("{folder}:/usr/bin:/bin"))
        .env("HOME", programs.path())
        .env("AWS_ACCESS_KEY_ID", "an-id")
        .env("AWS_SECRET_ACCESS_KEY", "a-secret")
        .env("AWS_DEFAULT_REGION", "us-east-1")
        .envs(settings.iter().copied())
        .kill_on_drop(true);
    command.output().await.unwrap()
}

/// Makes a bucket, with versions as the page of backups says.
async fn bucket(s3: &S3, programs: &TempDir) {
    plain(&s3.address, "PUT /mchezo").await;
    let args = [
        "--endpoint-url",
        &s3.address,
        "s3api",
        "put-bucket-versioning",
        "--bucket=mchezo",
        "--versioning-configuration",
        "Status=Enabled",
    ];
    let set = run(programs, "aws", &args, &[]).await;
    assert!(set.status.success(), "{set:?}");
}

/// S3 knows whole seconds.
async fn a_second_passes() {
    let second = || Clock::system().now().unix_timestamp();
    let now = second();
    wait_until("a second has passed", async || second() > now).await;
}

/// Brings the pictures back that were there at `time`.
async fn bring_back(s3: &S3, programs: &TempDir, bucket: &str, time: &str) -> Output {
    let place = format!("s3://{bucket}/some/prefix");
    let settings = [
        ("LISTINGS_PICTURES", place.as_str()),
        ("LISTINGS_PICTURES_ENDPOINT", s3.address.as_str()),
    ];
    run(programs, PICTURES, &[time], &settings).await
}

#[tokio::test]
#[ignore = "long: an S3 server and a client from the Python package index"]
async fn deleted_pictures_come_back_as_they_were_at_a_time() {
    let (s3, programs) = (start().await, cli().await);
    bucket(&s3, &programs).await;
    let store = FileStore::open(&settings(&s3.address, "mchezo")).unwrap();
    let [kept, lost, lost_before, later] = [1, 2, 3, 4].map(|it| FileName::of(&[it; 32]));
    let put = async |name: &FileName| {
        let bytes = bytes::Bytes::from_static(b"0123456789");
        store.put(name, bytes).await.unwrap();
    };
    let is_there = async |name: &FileName| store.part(name, 0, 10).await.unwrap().is_some();
    for name in [&kept, &lost, &lost_before] {
        put(name).await;
    }
    store.remove_picture(&lost_before).await.unwrap();
    a_second_passes().await;
    let time = Clock::system().now().format(&Rfc3339).unwrap();
    a_second_passes().await;
    put(&later).await;
    // The second time, it only adds a marker.
    for name in [&lost, &lost, &later] {
        store.remove_picture(name).await.unwrap();
        assert!(!is_there(name).await);
    }

    for files in [1, 0] {
        let done = bring_back(&s3, &programs, "mchezo", &time).await;
        assert!(done.status.success(), "{done:?}");
        let said = String::from_utf8(done.stdout).unwrap();
        assert!(
            said.starts_with(&format!("{files} files are back")),
            "{said}"
        );
    }
    for (name, expected) in [
        (&kept, true),
        (&lost, true),
        (&lost_before, false),
        (&later, false),
    ] {
        assert_eq!(is_there(name).await, expected, "{name:?}");
    }
}

#[tokio::test]
#[ignore = "long: an S3 server and a client from the Python package index"]
async fn what_cannot_come_back_is_said() {
    let (s3, programs) = (start().await, cli().await);
    plain(&s3.address, "PUT /plain").await;
    for (time, said) in [
        ("2026-11-27 08:30:00", "has no time zone"),
        ("2026-11-27 08:30:00+00", "plain has no versions"),
    ] {
        let refused = bring_back(&s3, &programs, "plain", time).await;
        assert!(!refused.status.success(), "{refused:?}");
        let complaint = String::from_utf8(refused.stderr).unwrap();
        assert!(complaint.contains(said), "{complaint}");
    }
}
