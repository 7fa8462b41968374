//! The compose file.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use e2e::{binaries, eventually_within};
use serde_json::{Value, json};
use tokio::process::Command;

use super::podman::Podman;
use super::{
    SERVICES, STAFF, TLS, Variables, assert_accepts, assert_knows, deploy, documents, run, secrets,
    strings, variables,
};
use crate::ports::free_port;

/// The containers in the compose file, by name.
async fn containers() -> Value {
    let text = fs::read_to_string(deploy("compose.yaml")).unwrap();
    documents(&text).await.remove(0)["services"].take()
}

/// The environment of a container, from its `env_file`s and from the compose file.
fn environment(container: &Value, secrets: &Path) -> Variables {
    let mut environment = Variables::new();
    for file in strings(&container["env_file"]) {
        let file = match file.strip_prefix("${SECRETS:-../.secrets}/") {
            Some(file) => secrets.join(file),
            None => deploy(file),
        };
        environment.extend(variables(&file));
    }
    let own = container["environment"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
    environment.extend(own);
    environment
}

#[tokio::test]
#[ignore = "long: a reader of YAML from the Python package index"]
async fn each_container_is_confined_and_only_the_front_is_public() {
    let containers = containers().await;
    for (name, container) in containers.as_object().unwrap() {
        assert_eq!(container["read_only"], true, "{name}");
        assert_eq!(container["cap_drop"], json!(["ALL"]), "{name}");
        assert_eq!(container["security_opt"], json!(["no-new-privileges:true"]), "{name}");
        assert_eq!(container["ports"].is_null(), name != "edge", "{name}");
        let networks = strings(&container["networks"]);
        let is_front = ["edge", "gateway", "web"].contains(&name.as_str());
        assert_eq!(networks.contains(&"front"), is_front, "{name}");
        assert_eq!(networks.contains(&"fleet"), name != "edge", "{name}");
        // A tool runs only when somebody starts it.
        let is_tool = !container["profiles"].is_null();
        assert_eq!(container["restart"].is_null(), is_tool, "{name}");
    }
    for (service, _) in SERVICES {
        let container = &containers[service];
        assert_eq!(strings(&container["command"]), [service]);
        assert_eq!(container["healthcheck"]["test"], json!(["CMD", service, "healthcheck"]));
        // The delay and twice the drain take 25 seconds by default.
        assert_eq!(container["stop_grace_period"], "30s");
        let migration = format!("migrate-{service}");
        assert_eq!(strings(&containers[migration]["command"]), [service, "migrate"]);
    }
}

#[tokio::test]
#[ignore = "long: a reader of YAML from the Python package index"]
async fn each_service_gets_its_settings() {
    let containers = containers().await;
    let secrets = secrets().await;
    for (service, prefix) in SERVICES {
        let container = &containers[service];
        let variables = environment(container, secrets.path());
        assert_accepts(service, prefix, &variables, secrets.path()).await;
        for (folder, target) in [(format!("tls/{service}"), TLS), ("staff".to_owned(), STAFF)] {
            let mount = format!("${{SECRETS:-../.secrets}}/{folder}:{target}:ro,z");
            let volumes = strings(&container["volumes"]);
            assert!(volumes.contains(&mount.as_str()), "{container}");
        }

        let migration = &containers[format!("migrate-{service}")];
        let owner = environment(migration, secrets.path());
        let names = ["DATABASE_OWNER_URL", "PLAINTEXT_HOSTS"];
        let names = names.map(|name| format!("{prefix}{name}"));
        assert!(owner.keys().eq(&names), "{:?}", owner.keys());
        assert_knows(service, prefix, &owner).await;
    }
}

#[tokio::test]
#[ignore = "long: a reader of YAML from the Python package index"]
async fn the_tool_of_staff_gets_its_settings() {
    let secrets = secrets().await;
    let variables = environment(&containers().await["staff"], secrets.path());
    let folder = secrets.path().join("tls/staff").display().to_string();
    let mut staff = Command::new(binaries().join("staff"));
    staff.args(["plan", "list"]).env_clear().kill_on_drop(true);
    for (name, value) in variables {
        // Nobody listens on port 1.
        let here = if value.starts_with("https://") {
            "https://127.0.0.1:1".to_owned()
        } else {
            value.replace(TLS, &folder)
        };
        staff.env(name, here);
    }
    let output = staff.output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // The tool only fails to reach the gateway. If a setting were missing, it would say so first.
    assert_eq!(output.status.code(), Some(3), "{said}");
}

/// Images of PostgreSQL, Redis and haproxy from Debian packages, with the names, users and folders of the official images.
const SERVERS: &str = r#"
FROM localhost/debian
RUN echo 'server:x:999:999::/tmp:/bin/sh' >> /etc/passwd \
    && mkdir -p /data /run/postgresql /var/lib/postgresql/data /usr/local/etc/haproxy \
    && chown -R 999:999 /data /run/postgresql /var/lib/postgresql
ENV PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY start-postgres /usr/bin/start-postgres
USER 999:999
CMD ["sh", "start"]
"#;
const START_POSTGRES: &str = r#"set -e
cd /var/lib/postgresql/data
if [ ! -s PG_VERSION ]; then
    printf %s "$POSTGRES_PASSWORD" > /tmp/password
    initdb --pgdata=. --username=postgres --auth-host=scram-sha-256 --auth-local=trust --pwfile=/tmp/password $POSTGRES_INITDB_ARGS
    echo 'host all all all scram-sha-256' >> pg_hba.conf
    echo "create database $POSTGRES_DB" | postgres --single -D . postgres
fi
exec postgres -D . -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
"#;

async fn build_servers(podman: &Podman) {
    let context = podman.context("servers");
    let archive = context.join("debian.tar");
    let mut debian = Command::new("mmdebstrap");
    debian.args([
        "--quiet",
        "--variant=minbase",
        "--include=postgresql,redis-server,haproxy",
        "bookworm",
    ]);
    run(debian.arg(&archive)).await;
    run(podman.command(&["import", "--quiet"]).arg(&archive).arg("localhost/debian")).await;
    fs::remove_file(archive).unwrap();
    fs::write(context.join("start-postgres"), START_POSTGRES).unwrap();
    for (image, command) in [
        ("docker.io/library/postgres:17-bookworm", r#"["sh", "/usr/bin/start-postgres"]"#),
        ("docker.io/library/redis:7", r#"["redis-server"]"#),
        (
            "docker.io/library/haproxy:3.0",
            r#"["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]"#,
        ),
    ] {
        let instructions = SERVERS.replace(r#"["sh", "start"]"#, command);
        podman.build(image, &instructions, &context).await;
    }
}

/// Runs the compose file unchanged, with podman.
struct Compose<'a> {
    podman: &'a Podman,
    environment: [(&'static str, String); 2],
    program: std::path::PathBuf,
}

impl Compose<'_> {
    fn command(&self, args: &[&str]) -> Command {
        let mut compose = self.podman.program(self.program.join("python"));
        compose.args(["-m", "podman_compose", "-f"]).arg(deploy("compose.yaml"));
        compose.envs(self.environment.clone()).args(args);
        compose.stdin(Stdio::null());
        compose
    }
}

/// The response of haproxy, with the status in the last line.
async fn get(secrets: &Path, port: u16, path: &str) -> String {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--max-time", "10", "--write-out", "\n%{http_code}"]);
    curl.arg("--cacert").arg(secrets.join("ca.crt"));
    curl.arg(format!("https://localhost:{port}{path}"));
    let output = curl.output().await.unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
#[ignore = "long: makes images from packages of Debian"]
async fn a_whole_fleet_starts_from_the_compose_file() {
    let podman = Podman::with_networks();
    podman.build_fleet().await;
    build_servers(&podman).await;
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = testing::python::environment(target, "podman-compose==1.6.0", &[]).await;
    let secrets = secrets().await;
    let port = free_port().port();
    let compose = Compose {
        podman: &podman,
        environment: [
            ("SECRETS", secrets.path().display().to_string()),
            ("PORT", port.to_string()),
        ],
        program: environment.unwrap().join("bin"),
    };
    run(&mut compose.command(&["up", "--detach", "--no-build"])).await;

    let get = async |path: &str| get(secrets.path(), port, path).await;
    // haproxy terminates TLS. For this page, web calls catalogue-svc, with its own certificate.
    let minutes = std::time::Duration::from_mins(5);
    eventually_within(minutes, "the page of all games", async || {
        get("/games").await.ends_with("\n200").then_some(())
    })
    .await;
    eventually_within(minutes, "the description of the API", async || {
        get("/v1/openapi.json").await.ends_with("\n200").then_some(())
    })
    .await;
    let refused = get("/v1/games").await;
    assert!(refused.contains("missing_key") && refused.ends_with("\n401"), "{refused}");

    // Every service is healthy, and no job has failed.
    let names =
        run(&mut podman.command(&["ps", "--all", "--format={{.Names}} {{.State}} {{.ExitCode}}"]))
            .await;
    for (service, _) in SERVICES {
        let container = format!("mchezo_{service}_1");
        eventually_within(minutes, &format!("{service} is healthy"), async || {
            let mut check = podman.command(&["healthcheck", "run", &container]);
            let status = check.stdout(Stdio::null()).status().await.ok()?;
            status.success().then_some(())
        })
        .await;
    }
    let ended: BTreeSet<_> = names
        .lines()
        // Versions of podman differ in the case of the word and in the text after it.
        .filter(|line| line.to_lowercase().contains(" exited "))
        .collect();
    assert_eq!(ended.len(), SERVICES.len() + 1, "migrations and roles: {names}");
    assert!(ended.iter().all(|line| line.ends_with(" 0")), "{names}");

    let in_postgres = async |command: &[&str]| {
        let exec = ["exec", "-T", "postgres"];
        run(&mut compose.command(&[&exec, command].concat())).await
    };
    let collation = "select datcollate from pg_database where datname = 'mchezo'";
    let collation = in_postgres(&["psql", "-U", "postgres", "-Atc", collation]).await;
    assert!(collation.contains("C.UTF-8"), "{collation}");
    let dump = in_postgres(&["pg_dump", "-U", "postgres", "-Fc", "mchezo"]).await;
    assert!(dump.contains("PGDMP"), "no dump");

    run(&mut compose.command(&["down", "--volumes"])).await;
}
