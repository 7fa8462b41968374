//! nginx as a receiver, with its defaults: it closes an HTTP/2 connection after 1,000 requests.

use std::collections::BTreeMap;
use std::env;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::receiver::{Authority, Scripted, good};
use super::recycling::failures;
use webhook::http::Sender;

/// A running nginx; it ends with the value.
struct Nginx {
    folder: TempDir,
    process: Child,
}

impl Nginx {
    /// Starts nginx on a listener, which it inherits as its standard input: connections queue until it accepts them.
    fn start(authority: &Authority, listener: TcpListener) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (chain, key) = authority.pem(&good());
        std::fs::write(folder.path().join("chain.pem"), chain).unwrap();
        std::fs::write(folder.path().join("key.pem"), key).unwrap();
        let address = listener.local_addr().unwrap();
        let configuration = format!(
            "daemon off; worker_processes 1; pid nginx.pid; error_log error.log;
             events {{ worker_connections 1024; }}
             http {{
                 access_log access.log; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                 uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                 server {{
                     listen {address} ssl http2; ssl_certificate chain.pem; ssl_certificate_key key.pem;
                     location / {{ return 200; }}
                 }}
             }}"
        );
        std::fs::write(folder.path().join("nginx.conf"), configuration).unwrap();
        // Debian installs it where the PATH of an ordinary user does not lead.
        let path = format!("{}:/usr/sbin", env::var("PATH").unwrap_or_default());
        let process = Command::new("setpriv")
            .args(["--pdeathsig", "TERM", "nginx", "-p"])
            .arg(folder.path())
            .args(["-c", "nginx.conf", "-e", "error.log"])
            .env("PATH", path)
            .env("NGINX", "0;")
            .stdin(Stdio::from(OwnedFd::from(listener)))
            .spawn()
            .unwrap();
        Self { folder, process }
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.process.id() {
            kill(Pid::from_raw(i32::try_from(id).unwrap()), signal).unwrap();
        }
    }

    /// Ends nginx; returns the number of requests that it has answered.
    async fn stop(mut self) -> usize {
        self.signal(Signal::SIGQUIT);
        self.process.wait().await.unwrap();
        let log = self.folder.path().join("access.log");
        std::fs::read_to_string(log).unwrap().lines().count()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.signal(Signal::SIGTERM);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: needs nginx"]
async fn nginx_gets_each_delivery_with_its_first_attempt() {
    const DELIVERIES: usize = 2_000;
    let authority = Authority::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let nginx = Nginx::start(&authority, listener);
    let mut settings = authority.settings(&[]);
    settings.allow = address.to_string().parse().unwrap();
    let sender = Sender::with_resolver(&settings, Scripted::new([vec![address]])).unwrap();
    let failures = failures(&sender, DELIVERIES).await;
    assert_eq!(failures, BTreeMap::new());
    drop(sender);
    assert_eq!(nginx.stop().await, DELIVERIES);
}
