//! Real Redis servers for tests: a cluster of three masters, with or without TLS and replicas; one server with TLS; or several independent servers.
//! They end when the value is dropped.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use servers::ServerUser;

use kit::ids;

/// Timeout for servers and tools. It is long, because a machine that runs many tests is busy.
const LIMIT: Duration = Duration::from_mins(2);
const BUS_PORT_OFFSET: u16 = 10_000;

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
    /// A cluster of three masters.
    pub fn cluster(tls: bool) -> anyhow::Result<Self> {
        Self::cluster_of(tls, 3, "0")
    }

    /// A cluster of three masters, the nodes 0 to 2, each with a replica. A replica takes over when its master has failed for `cluster-node-timeout`.
    pub fn cluster_with_replicas(tls: bool) -> anyhow::Result<Self> {
        let mut servers = Self::cluster_of(tls, 6, "1")?;
        // A replica is elected only if it has the data of its master and the other masters know it.
        for node in 0..3 {
            servers.until_answered(node, &["info", "replication"], "state=online")?;
        }
        for node in 3..6 {
            servers.until_answered(node, &["info", "replication"], "master_link_status:up")?;
        }
        for node in 0..6 {
            servers.until(node, &["cluster", "nodes"], |nodes| {
                nodes.matches("slave ").count() == 3 && nodes.matches(" connected").count() == 6
            })?;
        }
        Ok(servers)
    }

    fn cluster_of(tls: bool, count: usize, replicas: &str) -> anyhow::Result<Self> {
        let mut servers = Self::start(tls, true, count)?;
        let nodes: Vec<String> = (0..count).map(|node| servers.place(node)).collect();
        let mut create: Vec<&str> = vec!["--cluster", "create"];
        create.extend(nodes.iter().map(String::as_str));
        create.extend(["--cluster-replicas", replicas, "--cluster-yes"]);
        servers.tool(0, &create)?;
        for node in 0..count {
            servers.until_answered(node, &["cluster", "info"], "cluster_state:ok")?;
        }
        Ok(servers)
    }

    /// Independent servers.
    pub fn plain(count: usize) -> anyhow::Result<Self> {
        Self::start(false, false, count)
    }

    /// One server that only accepts TLS.
    pub fn tls() -> anyhow::Result<Self> {
        Self::start(true, false, 1)
    }

    fn start(tls: bool, cluster: bool, count: usize) -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("redis-{}", ids::row_id()));
        std::fs::create_dir_all(&folder)?;
        let mut servers = Self { folder, tls, cluster, nodes: Vec::new() };
        if tls {
            certify(&servers.folder)?;
        }
        for node in 0..count {
            servers.start_one(node)?;
        }
        Ok(servers)
    }

    fn start_one(&mut self, node: usize) -> anyhow::Result<()> {
        // Another process may take the port first. The server then exits, and another port is tried.
        for _ in 0..20 {
            let port = free_port()?;
            let child = self.spawn(node, port)?;
            self.nodes.push(Server { port, child });
            if self.until_answered(node, &["ping"], "PONG").is_ok() {
                return Ok(());
            }
            self.nodes.truncate(node);
        }
        anyhow::bail!("cannot start a redis-server for a test")
    }

    fn spawn(&self, node: usize, port: u16) -> anyhow::Result<Child> {
        let folder = self.folder.join(node.to_string());
        std::fs::create_dir_all(&folder)?;
        let mut settings = vec!["loglevel warning".to_owned()];
        if self.tls {
            settings.extend(["port 0".to_owned(), format!("tls-port {port}")]);
            for (name, file) in [
                ("tls-cert-file", "server.crt"),
                ("tls-key-file", "server.key"),
                ("tls-ca-cert-file", "ca.crt"),
            ] {
                let file = self.folder.join(file);
                settings.push(format!("{name} \"{}\"", file.display()));
            }
            settings.push("tls-auth-clients no".to_owned());
        } else {
            settings.push(format!("port {port}"));
        }
        if self.cluster {
            settings.push("cluster-enabled yes".to_owned());
            // When one node is down, the others still serve their slots.
            settings.push("cluster-require-full-coverage no".to_owned());
            if self.tls {
                settings.extend(["tls-cluster yes", "tls-replication yes"].map(str::to_owned));
            }
        }
        // Run as the caller, who owns the certificates.
        let user = ServerUser::default();
        servers::redis::server(&user, None, &folder, &settings.join("\n"))?
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start redis-server")
    }

    /// The URL of all servers, for the setting `redis_url`.
    pub fn url(&self) -> String {
        let places: Vec<String> = (0..self.nodes.len()).map(|node| self.place(node)).collect();
        self.url_of(self.cluster, &places.join(","))
    }

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

    /// The host and port of a server.
    pub fn place(&self, node: usize) -> String {
        format!("127.0.0.1:{}", self.nodes[node].port)
    }

    /// Kills a server and restarts it with its data.
    pub fn restart(&mut self, node: usize) -> anyhow::Result<()> {
        let port = self.nodes[node].port;
        self.stop(node)?;
        let (command, wanted): (&[&str], _) = if self.cluster {
            (&["cluster", "info"], "cluster_state:ok")
        } else {
            (&["ping"], "PONG")
        };
        let begun = Instant::now();
        loop {
            self.nodes[node].child = self.spawn(node, port)?;
            let answered = self.until_answered(node, command, wanted);
            // An outgoing connection may have taken the port for a moment. The server then exits, and is started again.
            let has_ended = self.nodes[node].child.try_wait()?.is_some();
            if answered.is_ok() || !has_ended || begun.elapsed() > LIMIT {
                return answered;
            }
        }
    }

    pub fn pid(&self, node: usize) -> u32 {
        self.nodes[node].child.id()
    }

    /// Kills a server.
    pub fn stop(&mut self, node: usize) -> anyhow::Result<()> {
        let child = &mut self.nodes[node].child;
        child.kill()?;
        child.wait()?;
        Ok(())
    }

    /// Runs a command on a server with `redis-cli`; returns its output.
    pub fn command(&self, node: usize, command: &[&str]) -> anyhow::Result<String> {
        self.tool(node, command)
    }

    fn tool(&self, node: usize, words: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new("redis-cli");
        command.args(["-p", &self.nodes[node].port.to_string()]);
        if self.tls {
            command.arg("--tls").arg("--cacert").arg(self.folder.join("ca.crt"));
        }
        let output = command.args(words).stdin(Stdio::null()).output();
        output_text(
            &output.context("cannot start redis-cli: install it (apt install redis-tools)")?,
        )
    }

    fn until_answered(
        &mut self,
        node: usize,
        command: &[&str],
        wanted: &str,
    ) -> anyhow::Result<()> {
        self.until(node, command, |answer| answer.contains(wanted))
    }

    fn until(
        &mut self,
        node: usize,
        command: &[&str],
        is_wanted: impl Fn(&str) -> bool,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        loop {
            let answer = self.tool(node, command);
            if answer.as_ref().is_ok_and(|answer| is_wanted(answer)) {
                return Ok(());
            }
            let ended = self.nodes[node].child.try_wait()?.is_some();
            anyhow::ensure!(
                !ended && begun.elapsed() < LIMIT,
                "redis-server did not answer {command:?} as expected: {answer:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for server in &mut self.nodes {
            // An error means that the server has already ended.
            drop(server.child.kill());
            drop(server.child.wait());
        }
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// A free port whose cluster bus port is free as well.
fn free_port() -> anyhow::Result<u16> {
    loop {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let bus = port.checked_add(BUS_PORT_OFFSET);
        if bus.is_some_and(|bus| TcpListener::bind(("127.0.0.1", bus)).is_ok()) {
            return Ok(port);
        }
    }
}

/// Creates a certificate authority, and a certificate for 127.0.0.1 that it signs.
fn certify(folder: &Path) -> anyhow::Result<()> {
    let openssl = |words: &str| {
        let output = Command::new("openssl")
            .current_dir(folder)
            .args(words.split(' '))
            .stdin(Stdio::null())
            .output();
        output_text(&output.context("cannot start openssl: install it (apt install openssl)")?)
    };
    std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n")?;
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!(
        "req -x509 {key} -keyout ca.key -out ca.crt -days 2 -subj /CN=test-authority"
    ))?;
    openssl(&format!("req {key} -keyout server.key -out server.csr -subj /CN=redis"))?;
    openssl(
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2 -extfile names",
    )?;
    Ok(())
}

fn output_text(output: &Output) -> anyhow::Result<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    anyhow::ensure!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    Ok(text(&output.stdout))
}
