//! The fleet behind PgBouncer.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Stdio;

use e2e::{Client, SmallFleet, eventually};
use servers::ServerUser;
use tempfile::TempDir;
use testing::postgres::Server;
use tokio::process::{Child, Command};

/// The schemas. Each has a role of the same name.
const SCHEMAS: [&str; 6] = ["gateway", "web", "catalogue", "listings", "economy", "webhook"];

/// A PgBouncer that ends with the test.
struct Pooler {
    port: u16,
    _process: Child,
    _folder: TempDir,
}

impl Pooler {
    async fn start(server: &Server) -> Self {
        let user = ServerUser::unprivileged().unwrap();
        let base = user.temporary(&std::env::temp_dir()).unwrap();
        let folder = tempfile::tempdir_in(base).unwrap();
        user.give(folder.path(), 0o700).unwrap();
        let users = folder.path().join("users");
        let owners = SCHEMAS.map(|schema| format!("{schema}_owner"));
        let all = SCHEMAS.into_iter().chain(owners.iter().map(String::as_str));
        let list: Vec<String> =
            all.chain(["postgres"]).map(|role| format!("\"{role}\" \"\"")).collect();
        std::fs::write(&users, list.join("\n")).unwrap();
        let settings = folder.path().join("pgbouncer.ini");
        let mut tries = 0;
        // Another process may take the port first. PgBouncer then exits, and another port is tried.
        loop {
            tries += 1;
            assert!(tries <= 20, "PgBouncer does not start");
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            let text = format!(
                "[databases]
* = host=127.0.0.1 port={server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = session
max_client_conn = 500
default_pool_size = 50
",
                server = server.pool.connect_options().get_port(),
                users = users.display(),
            );
            std::fs::write(&settings, text).unwrap();
            let program = servers::find("pgbouncer").unwrap();
            let mut command = Command::from(user.command(&program, None));
            command.arg("-q").arg(&settings).stdin(Stdio::null());
            command.current_dir("/").kill_on_drop(true);
            let mut process = command.spawn().unwrap();
            let listens = eventually("PgBouncer listens or ends", async || {
                if process.try_wait().unwrap().is_some() {
                    return Some(false);
                }
                let connected = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
                connected.is_ok().then_some(true)
            })
            .await;
            if listens {
                return Self { port, _process: process, _folder: folder };
            }
        }
    }

    /// The URL of the server's database for a role, through PgBouncer.
    fn url(&self, role: &str) -> String {
        format!("postgres://{role}@127.0.0.1:{}/postgres", self.port)
    }
}

#[tokio::test]
#[ignore = "long: needs PgBouncer"]
async fn a_fleet_runs_through_a_pooler_in_session_mode() {
    let server = Server::new().await.unwrap();
    let pooler = Pooler::start(&server).await;
    let mut small = SmallFleet::patient();
    // The launcher creates the roles, and the services migrate and run, all through PgBouncer.
    small.set("DATABASE_URL", &pooler.url("postgres"));
    for schema in SCHEMAS {
        // The server allows a hundred connections.
        let setting = format!("{}_DATABASE_CONNECTIONS", schema.to_uppercase());
        small.set(&setting, "6");
    }
    let fleet = small.up().await;
    // listings-svc has written the games, and catalogue-svc has followed its feed.
    let client = Client::new(&fleet, &fleet.account("free").keys.live);
    let games = client.get("/games?limit=1").await;
    assert_eq!(games.data().as_array().unwrap().len(), 1);
    small.down().await;
}
