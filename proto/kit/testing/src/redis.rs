//! Real Redis servers of a test's own: a cluster of three masters, with TLS or without, or one server with TLS. They end with the value.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use kit::ids;

/// How long servers and their tools may take: a machine that runs many tests is busy.
const LIMIT: Duration = Duration::from_mins(1);
/// A node talks to the others on a port so much higher.
const BUS: u16 = 10_000;

/// Servers, their files and their certificates.
#[derive(Debug)]
pub struct Servers {
    folder: PathBuf,
    tls: bool,
    cluster: bool,
    nodes: Vec<Server>,
}

#[derive(Debug)]
struct Server {
    port: u16,
    child: Child,
}

impl Servers {
    /// Three masters that share the slots.
    pub fn cluster(tls: bool) -> anyhow::Result<Self> {
        let mut servers = Self::start(tls, true, 3)?;
        let nodes: Vec<String> = (0..3).map(|node| servers.place(node)).collect();
        let mut create: Vec<&str> = vec!["--cluster", "create"];
        create.extend(nodes.iter().map(String::as_str));
        create.push("--cluster-yes");
        servers.tool(0, &create)?;
        for node in 0..3 {
            servers.until_answered(node, &["cluster", "info"], "cluster_state:ok")?;
        }
        Ok(servers)
    }

    /// One server that speaks TLS only.
    pub fn tls() -> anyhow::Result<Self> {
        Self::start(true, false, 1)
    }

    fn start(tls: bool, cluster: bool, count: usize) -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("redis-{}", ids::row_id()));
        std::fs::create_dir_all(&folder)?;
        let mut servers = Self {
            folder,
            tls,
            cluster,
            nodes: Vec::new(),
        };
        if tls {
            certify(&servers.folder)?;
        }
        for node in 0..count {
            servers.start_one(node)?;
        }
        Ok(servers)
    }

    /// Starts a server at a port that nobody else has.
    fn start_one(&mut self, node: usize) -> anyhow::Result<()> {
        // Another process may take the port meanwhile: then the server ends, and another port is tried.
        for _ in 0..20 {
            let port = free_port()?;
            let child = self.spawn(node, port)?;
            self.nodes.push(Server { port, child });
            if self.until_answered(node, &["ping"], "PONG").is_ok() {
                return Ok(());
            }
            self.nodes.truncate(node);
        }
        anyhow::bail!("no redis-server could be started for a test")
    }

    fn spawn(&self, node: usize, port: u16) -> anyhow::Result<Child> {
        let folder = self.folder.join(node.to_string());
        std::fs::create_dir_all(&folder)?;
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--save", "", "--loglevel", "warning"]);
        command.arg("--dir").arg(&folder);
        if self.tls {
            command.args(["--port", "0", "--tls-port", &port.to_string()]);
            for (name, file) in [
                ("--tls-cert-file", "server.crt"),
                ("--tls-key-file", "server.key"),
                ("--tls-ca-cert-file", "ca.crt"),
            ] {
                command.arg(name).arg(self.folder.join(file));
            }
            command.args(["--tls-auth-clients", "no"]);
        } else {
            command.args(["--port", &port.to_string()]);
        }
        if self.cluster {
            command.args(["--cluster-enabled", "yes"]);
            // A node that is away does not take the others' slots away.
            command.args(["--cluster-require-full-coverage", "no"]);
            if self.tls {
                command.args(["--tls-cluster", "yes"]);
            }
        }
        let spawning = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        spawning.context("redis-server cannot be started: install it (apt install redis-server)")
    }

    /// The address of all, for the setting `redis_url`.
    pub fn url(&self) -> String {
        let places: Vec<String> = (0..self.nodes.len()).map(|node| self.place(node)).collect();
        self.url_of(self.cluster, &places.join(","))
    }

    /// The address of one of them, as if it were the only one.
    pub fn url_of_node(&self, node: usize) -> String {
        self.url_of(false, &self.place(node))
    }

    fn url_of(&self, cluster: bool, places: &str) -> String {
        let scheme = if self.tls { "rediss" } else { "redis" };
        let cluster = if cluster { "+cluster" } else { "" };
        let authority = if self.tls {
            format!("?sslrootcert={}", self.folder.join("ca.crt").display())
        } else {
            String::new()
        };
        format!("{scheme}{cluster}://{places}{authority}")
    }

    fn place(&self, node: usize) -> String {
        format!("127.0.0.1:{}", self.nodes[node].port)
    }

    /// Ends a server without notice and starts it anew, with the files that it has.
    pub fn restart(&mut self, node: usize) -> anyhow::Result<()> {
        let port = self.nodes[node].port;
        self.stop(node)?;
        self.nodes[node].child = self.spawn(node, port)?;
        let (command, wanted): (&[&str], _) = if self.cluster {
            (&["cluster", "info"], "cluster_state:ok")
        } else {
            (&["ping"], "PONG")
        };
        self.until_answered(node, command, wanted)
    }

    /// Ends a server without notice.
    pub fn stop(&mut self, node: usize) -> anyhow::Result<()> {
        let child = &mut self.nodes[node].child;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// What a server answers to a command.
    pub fn ask(&self, node: usize, command: &[&str]) -> anyhow::Result<String> {
        self.tool(node, command)
    }

    fn tool(&self, node: usize, words: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new("redis-cli");
        command.args(["-p", &self.nodes[node].port.to_string()]);
        if self.tls {
            command
                .arg("--tls")
                .arg("--cacert")
                .arg(self.folder.join("ca.crt"));
        }
        let output = command.args(words).stdin(Stdio::null()).output();
        said(&output.context("redis-cli cannot be started: install it (apt install redis-tools)")?)
    }

    fn until_answered(
        &mut self,
        node: usize,
        command: &[&str],
        wanted: &str,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        loop {
            let answer = self.tool(node, command);
            if answer.as_ref().is_ok_and(|answer| answer.contains(wanted)) {
                return Ok(());
            }
            let ended = self.nodes[node].child.try_wait()?.is_some();
            anyhow::ensure!(
                !ended && begun.elapsed() < LIMIT,
                "redis-server does not answer {wanted}: {answer:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for server in &mut self.nodes {
            // One that has ended already is what is wanted.
            drop(server.child.kill());
            drop(server.child.wait());
        }
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// A port that is free, and the one of its bus too.
fn free_port() -> anyhow::Result<u16> {
    loop {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let bus = port.checked_add(BUS);
        if bus.is_some_and(|bus| TcpListener::bind(("127.0.0.1", bus)).is_ok()) {
            return Ok(port);
        }
    }
}

/// Makes an authority, and a certificate of it for 127.0.0.1.
fn certify(folder: &Path) -> anyhow::Result<()> {
    let openssl = |words: &str| {
        let output = Command::new("openssl")
            .current_dir(folder)
            .args(words.split(' '))
            .stdin(Stdio::null())
            .output();
        said(&output.context("openssl cannot be started: install it (apt install openssl)")?)
    };
    std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n")?;
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!(
        "req -x509 {key} -keyout ca.key -out ca.crt -days 2 -subj /CN=test-authority"
    ))?;
    openssl(&format!(
        "req {key} -keyout server.key -out server.csr -subj /CN=redis"
    ))?;
    openssl(
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2 -extfile names",
    )?;
    Ok(())
}

fn said(output: &Output) -> anyhow::Result<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    anyhow::ensure!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    Ok(text(&output.stdout))
}
