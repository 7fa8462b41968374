//! The shutdown of a process after signals. The process is `examples/service.rs`.

use std::net::SocketAddr;
use std::process::ExitStatus;

use kit::Lifecycle;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use testing::{LONG, eventually, wait_until};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// A delay that only a signal ends.
const ENDLESS: &str = "1000000";
/// Runs a program as PID 1 of a new namespace. The program ends with `unshare`, which returns the status of the program.
const UNSHARE: [&str; 4] = ["unshare", "--fork", "--pid", "--kill-child"];
/// The same for users other than root.
const UNSHARE_AS_USER: [&str; 6] =
    ["unshare", "--user", "--map-root-user", "--fork", "--pid", "--kill-child"];

struct Service {
    child: Child,
    /// Whether `child` is `unshare`, which started the process.
    is_wrapped: bool,
    http: SocketAddr,
    grpc: SocketAddr,
    admin: SocketAddr,
    folder: tempfile::TempDir,
}

impl Service {
    /// Starts the process, and waits until its admin port answers.
    async fn spawn(shutdown_delay: &str) -> Self {
        Self::until("/healthz", || Self::start(shutdown_delay, &[])).await
    }

    /// Starts the process, and waits until it is ready.
    async fn ready(shutdown_delay: &str) -> Self {
        Self::until("/readyz", || Self::start(shutdown_delay, &[])).await
    }

    /// Starts the process as PID 1 of a new namespace, as in a container; otherwise like [`until`](Self::until).
    async fn with_number_1(path: &str) -> Self {
        let wrapper: &[&str] = if geteuid().is_root() { &UNSHARE } else { &UNSHARE_AS_USER };
        let service = Self::until(path, || Self::start("0", wrapper)).await;
        let status = std::fs::read_to_string(format!("/proc/{}/status", service.pid())).unwrap();
        let numbers = status.lines().find(|line| line.starts_with("NSpid:"));
        assert!(numbers.unwrap().ends_with("\t1"), "{status}");
        service
    }

    /// Starts the process, and waits until the admin port answers a path with 200: `/readyz` does once the start is over. If another process takes a
    /// port first, the process exits and is started on other ports.
    async fn until(path: &str, start: impl Fn() -> Self) -> Self {
        let waits: &[&str] = if path == "/readyz" { &["start"] } else { &[] };
        for _ in 0..20 {
            let mut service = start();
            for file in waits {
                service.allow(file);
            }
            let answers = eventually("the admin port answers", async || {
                let has_ended = service.child.try_wait().unwrap().is_some();
                let answers = status(service.admin, path).await == Some(200);
                (answers || has_ended).then_some(answers)
            });
            if answers.await {
                return service;
            }
        }
        panic!("the process has no ports");
    }

    /// Starts the process, through the command `wrapper` if it is not empty.
    fn start(shutdown_delay: &str, wrapper: &[&str]) -> Self {
        let ports = [(); 3].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
        let [http, grpc, admin] = ports.map(|port| port.local_addr().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let tests = std::env::current_exe().unwrap();
        let program = tests.parent().unwrap().with_file_name("examples").join("service");
        let tokens = testing::identity();
        let mut command = match wrapper {
            [] => Command::new(program),
            [wrapper, options @ ..] => {
                let mut command = Command::new(wrapper);
                command.args(options).arg(program);
                command
            }
        };
        let child = command
            .env("EXAMPLE_PROFILE", "local")
            .env("EXAMPLE_DATABASE_URL", "postgres://nobody@127.0.0.1/none")
            .env("EXAMPLE_FLEET_TOKEN", tokens.fleet_token.first.expose())
            .env("EXAMPLE_STAFF_TOKEN", tokens.staff_token.first.expose())
            .env("EXAMPLE_HTTP_LISTEN", http.to_string())
            .env("EXAMPLE_GRPC_LISTEN", grpc.to_string())
            .env("EXAMPLE_ADMIN_LISTEN", admin.to_string())
            .env("EXAMPLE_START_FILE", folder.path().join("start"))
            .env("EXAMPLE_ANSWER_FILE", folder.path().join("answer"))
            .env("EXAMPLE_SHUTDOWN_DELAY", shutdown_delay)
            .env("EXAMPLE_DRAIN", ENDLESS)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { child, is_wrapped: !wrapper.is_empty(), http, grpc, admin, folder }
    }

    /// Ends the wait of the process for this file.
    fn allow(&self, file: &str) {
        std::fs::write(self.folder.path().join(file), "").unwrap();
    }

    /// Sends a request that waits, over this connection; returns when the process has read it.
    async fn wait(&self, connection: &mut Connection) {
        connection.request("/wait").await.unwrap();
        let asked = self.folder.path().join("answer.asked");
        wait_until("the request arrives", async || asked.exists()).await;
    }

    /// The pid in the namespace of the test.
    fn pid(&self) -> Pid {
        let child = self.child.id().unwrap();
        let pid = if self.is_wrapped {
            let children = std::fs::read_to_string(format!("/proc/{child}/task/{child}/children"));
            children.unwrap().trim().parse().unwrap()
        } else {
            i32::try_from(child).unwrap()
        };
        Pid::from_raw(pid)
    }

    fn terminate(&self) {
        kill(self.pid(), Signal::SIGTERM).unwrap();
    }

    async fn is_ready(&self) -> bool {
        status(self.admin, "/readyz").await == Some(200)
    }

    /// What the gRPC health service answers over a new connection.
    async fn health(&self) -> ServingStatus {
        let (lifecycle, _supervisor) = Lifecycle::new();
        let client = testing::client(&format!("http://{}", self.grpc), &lifecycle).unwrap();
        let mut health = HealthClient::new(client);
        let answer = health.check(HealthCheckRequest::default()).await.unwrap();
        lifecycle.stopping().cancel();
        answer.into_inner().status()
    }

    async fn ended(&mut self) -> ExitStatus {
        let ended = tokio::time::timeout(LONG, self.child.wait()).await;
        ended.expect("the process does not end").unwrap()
    }
}

struct Connection(TcpStream);

impl Connection {
    async fn open(address: SocketAddr) -> std::io::Result<Self> {
        TcpStream::connect(address).await.map(Self)
    }

    async fn request(&mut self, path: &str) -> std::io::Result<()> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: test\r\n\r\n");
        self.0.write_all(request.as_bytes()).await
    }

    /// The status of the next response; an error if the connection is closed.
    async fn status(&mut self) -> std::io::Result<u16> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            head.push(char::from(self.0.read_u8().await?));
        }
        let head = head.to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        self.0.read_exact(&mut body).await?;
        Ok(head["http/1.1 ".len()..][..3].parse().unwrap())
    }
}

/// The status of a response over a new connection; `None` if there is none.
async fn status(address: SocketAddr, path: &str) -> Option<u16> {
    let mut connection = Connection::open(address).await.ok()?;
    connection.request(path).await.ok()?;
    connection.status().await.ok()
}

/// Waits until a port refuses connections.
async fn refused(address: SocketAddr) {
    wait_until("the port is closed", async || TcpStream::connect(address).await.is_err()).await;
}

#[tokio::test]
async fn a_process_is_unready_first_then_drains_and_ends() {
    let mut service = Service::ready(ENDLESS).await;
    wait_until("the health service reports it", async || {
        service.health().await == ServingStatus::Serving
    })
    .await;
    let mut idle = Connection::open(service.http).await.unwrap();
    idle.request("/").await.unwrap();
    assert_eq!(idle.status().await.unwrap(), 200);
    let mut running = Connection::open(service.http).await.unwrap();
    service.wait(&mut running).await;

    service.terminate();
    wait_until("it is not ready", async || !service.is_ready().await).await;
    wait_until("the health service reports it too", async || {
        service.health().await == ServingStatus::NotServing
    })
    .await;
    assert_eq!(status(service.http, "/").await, Some(200), "it accepts");
    idle.request("/").await.unwrap();
    assert_eq!(idle.status().await.unwrap(), 200, "it keeps connections");

    // The second signal ends the delay.
    service.terminate();
    refused(service.http).await;
    refused(service.grpc).await;
    assert!(idle.status().await.is_err(), "idle connections are closed");
    assert!(!service.is_ready().await);
    service.allow("answer");
    assert_eq!(running.status().await.unwrap(), 200, "the call is answered");
    assert!(service.ended().await.success());
}

#[tokio::test]
async fn the_delay_ends_by_itself() {
    let mut service = Service::ready("1").await;
    service.terminate();
    assert!(service.ended().await.success());
}

#[tokio::test]
async fn a_signal_during_the_drain_drops_the_running_calls() {
    let mut service = Service::ready("0").await;
    let mut running = Connection::open(service.http).await.unwrap();
    service.wait(&mut running).await;
    service.terminate();
    refused(service.http).await;
    service.terminate();
    assert!(running.status().await.is_err());
    assert!(service.ended().await.success());
}

/// Without a handler, the signal would end the process with another status.
#[tokio::test]
async fn a_signal_during_the_start_ends_the_process() {
    let mut service = Service::spawn(ENDLESS).await;
    assert!(!service.is_ready().await);
    service.terminate();
    assert!(service.ended().await.success());
}

/// The kernel drops a signal to PID 1 if PID 1 has no handler for it.
#[tokio::test]
async fn a_signal_ends_a_process_that_is_pid_1() {
    for path in ["/healthz", "/readyz"] {
        let mut service = Service::with_number_1(path).await;
        service.terminate();
        assert!(service.ended().await.success(), "{path}");
    }
}
