//! haproxy and nginx with the configurations of `deploy/edge`.

use std::fs::File;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use e2e::{children, eventually};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use servers::find;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::ports::free_port;
use crate::server_process::show_logs;

pub(crate) const HAPROXY: &str = include_str!("../../deploy/edge/haproxy.cfg");
pub(crate) const NGINX: &str = include_str!("../../deploy/edge/nginx.conf");

const LOG: &str = "proxy";
/// How often to check whether a proxy has stopped.
const POLL: Duration = Duration::from_millis(10);

pub(crate) struct Proxy {
    process: Child,
    folder: tempfile::TempDir,
    reload: Signal,
    pub(crate) address: SocketAddr,
    /// The address without TLS, which redirects to TLS.
    plain: SocketAddr,
}

impl Proxy {
    /// haproxy with this configuration and these variables. The variable `LISTEN` gets a free port.
    pub(crate) async fn haproxy(configuration: &str, variables: &[(&str, String)]) -> Self {
        let folder = folder().await;
        std::fs::write(folder.path().join("haproxy.cfg"), configuration).unwrap();
        Self::start(folder, Signal::SIGUSR2, |folder, address, plain| {
            let mut haproxy = haproxy(folder);
            haproxy
                .args(["-W", "-f", "haproxy.cfg"])
                .env("LISTEN", address.to_string())
                .env("LISTEN_HTTP", plain.to_string())
                .envs(variables.iter().map(|(name, value)| (name, value)));
            haproxy
        })
        .await
    }

    /// nginx with its configuration, and these addresses of the gateway and web.
    pub(crate) async fn nginx(gateway: &str, web: &str) -> Self {
        let folder = folder().await;
        Self::start(folder, Signal::SIGHUP, |folder, address, plain| {
            let configuration = nginx_configuration(folder, [address, plain], [gateway, web]);
            std::fs::write(folder.join("nginx.conf"), configuration).unwrap();
            let mut nginx = program("nginx");
            nginx.arg("-p").arg(folder);
            nginx.args(["-c", "nginx.conf", "-e", "stderr"]);
            nginx
        })
        .await
    }

    /// Starts a proxy on the two addresses that `command` gets; the first one has TLS. If another process takes a port first, the proxy exits and is
    /// started on other ports.
    async fn start(
        folder: tempfile::TempDir,
        reload: Signal,
        command: impl Fn(&Path, SocketAddr, SocketAddr) -> Command,
    ) -> Self {
        let mut tries = 0;
        loop {
            tries += 1;
            let (address, plain) = (free_port(), free_port());
            let mut command = command(folder.path(), address, plain);
            let mut process =
                logged(&mut command, folder.path()).kill_on_drop(true).spawn().unwrap();
            let serves = eventually("the proxy serves or ends", async || {
                if process.try_wait().unwrap().is_some() {
                    return Some(false);
                }
                // The proxy starts its workers after it has bound its ports.
                let has_workers = process.id().is_some_and(|pid| !workers(pid).is_empty());
                let connects = TcpStream::connect(address).await.is_ok();
                (has_workers && connects).then_some(true)
            })
            .await;
            if serves {
                return Self { process, folder, reload, address, plain };
            }
            show_logs(folder.path(), &[LOG]);
            assert!(tries < 5, "the proxy does not start");
        }
    }

    pub(crate) fn certificate(&self) -> String {
        let path = self.folder.path().join("certificate.pem");
        path.display().to_string()
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.process.id().unwrap()).unwrap())
    }

    /// Makes the proxy read its configuration again; returns when the new processes run.
    pub(crate) async fn reload(&self) {
        let pid = self.process.id().unwrap();
        let before = workers(pid);
        kill(self.pid(), self.reload).unwrap();
        eventually("other processes serve", async || {
            let now = workers(pid);
            now.iter().any(|pid| !before.contains(pid)).then_some(())
        })
        .await;
    }

    /// `curl` without TLS. It prints the status and the target of a redirect, and does not follow it.
    pub(crate) fn plain_curl(&self, path: &str) -> Command {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--output", "/dev/null"])
            .args(["--write-out", "%{http_code} %{redirect_url}"])
            .arg(format!("http://{}{path}", self.plain))
            .kill_on_drop(true);
        curl
    }

    /// `curl` with TLS, which trusts the proxy's certificate. It prints the body, then a line with the HTTP version and the status.
    pub(crate) fn curl(&self, path: &str) -> Command {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--cacert"])
            .arg(self.certificate())
            .args(["--write-out", "\n%{http_version} %{http_code}"])
            .arg(format!("https://{}{path}", self.address))
            .kill_on_drop(true);
        curl
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if std::thread::panicking() {
            show_logs(self.folder.path(), &[LOG]);
        }
        // SIGTERM also ends the workers, which SIGKILL would leave. The process may have ended.
        if self.process.id().is_some() {
            let _ended = kill(self.pid(), Signal::SIGTERM);
            while let Ok(None) = self.process.try_wait() {
                std::thread::sleep(POLL);
            }
        }
    }
}

/// The worker processes of a proxy.
fn workers(proxy: u32) -> Vec<Pid> {
    children(proxy.try_into().unwrap())
}

/// The configuration of nginx for a folder with a certificate.
fn nginx_configuration(
    folder: &Path,
    [address, plain]: [SocketAddr; 2],
    [gateway, web]: [&str; 2],
) -> String {
    let path = folder.display().to_string();
    let mut configuration = NGINX.to_owned();
    // Debian's nginx would use folders of the system. It does not daemonize, so that it ends with the test.
    let own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {path}/{kind};"))
        .concat();
    for (from, to) in [
        ("server gateway:8080 ", format!("server {gateway} ")),
        ("server web:8080 ", format!("server {web} ")),
        ("listen 443 ", format!("listen {address} ")),
        ("listen 80;", format!("listen {plain};")),
        ("/etc/nginx", path.clone()),
        ("/run/nginx.pid", format!("{path}/nginx.pid")),
        ("\nhttp {", format!("\ndaemon off;\nhttp {{ {own}")),
    ] {
        assert!(configuration.contains(from), "nginx.conf lacks {from}");
        configuration = configuration.replace(from, &to);
    }
    configuration
}

fn haproxy(folder: &Path) -> Command {
    let mut haproxy = program("haproxy");
    haproxy.current_dir(folder).env("CERTIFICATE", folder.join("both.pem"));
    haproxy
}

/// haproxy makes its output non-blocking. If it shared the output of the test, a test that prints much would fail.
fn logged<'a>(proxy: &'a mut Command, folder: &Path) -> &'a mut Command {
    let log = File::create(folder.join(format!("{LOG}.log"))).unwrap();
    proxy.stdout(log.try_clone().unwrap()).stderr(log)
}

fn program(name: &str) -> Command {
    Command::new(find(name).unwrap_or_else(|| name.into()))
}

/// A folder with a certificate for 127.0.0.1, which processes of other users can read.
async fn folder() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("mchezo-edge-").tempdir().unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt"])
        .args(["ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=127.0.0.1"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1"])
        .args(["-keyout", "key.pem", "-out", "certificate.pem"])
        .current_dir(folder.path())
        .output()
        .await
        .unwrap();
    let complaint = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "openssl: {complaint}");
    let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let both = read("certificate.pem") + &read("key.pem");
    std::fs::write(folder.path().join("both.pem"), both).unwrap();
    folder
}
