//! The running fleet, as the launcher describes it in `fleet.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use kit::rpc::members_file::{self, TOKEN_PREFIX};
use kit::rpc::staff::{Member, Role};
use serde::Deserialize;
use sqlx::{Connection as _, PgConnection};
use time::Date;
use time::macros::date;

/// The last day of members that tests add.
const LAST_DAY: Date = date!(2999 - 12 - 31);

#[derive(Debug, Clone, Deserialize)]
pub struct Fleet {
    /// `running` once everything has started.
    pub state: String,
    /// The base address of the public API; ends in `/v1`.
    pub base_url: String,
    pub openapi_url: String,
    /// The address of the public site and the dashboard; ends in a slash.
    pub dashboard_url: String,
    /// The folder of the mails that the fleet has sent.
    pub mail_dir: PathBuf,
    /// The URL of PostgreSQL, as its administrator.
    pub database_url: String,
    pub redis_url: String,
    /// The file that moves the clock of the fleet.
    pub clock_file: PathBuf,
    /// Every process of each service.
    pub services: Vec<Service>,
    /// PostgreSQL and Redis, if the launcher started them.
    pub servers: Vec<Server>,
    /// The token of staff calls.
    pub staff_token: String,
    /// The token of calls between services.
    #[serde(rename = "fleet_token")]
    pub service_token: String,
    pub accounts: Vec<Account>,
}

/// One process of the fleet.
#[derive(Debug, Clone, Deserialize)]
pub struct Service {
    /// Such as `gateway`. Replicas share the name.
    pub name: String,
    /// `None` while the process is down and waits to be restarted.
    pub pid: Option<i32>,
    /// The address of the internal port.
    pub grpc: String,
    /// The address of the public port, if there is one.
    pub http: Option<String>,
    pub metrics: String,
    /// The address of the liveness check.
    pub health: String,
    /// The address of the readiness check.
    pub ready: String,
}

/// A server that the launcher started.
#[derive(Debug, Clone, Deserialize)]
pub struct Server {
    /// `postgres` or `redis`.
    pub name: String,
    /// `None` while the process is down and waits to be restarted.
    pub pid: Option<i32>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Account {
    /// The name in the launcher: `free`, `build`, `partner` or `other`.
    pub name: String,
    pub plan: String,
    /// The e-mail address of the owner.
    pub email: String,
    /// The password of the owner, for the dashboard.
    pub password: String,
    /// The slug of a game that has a currency.
    pub economy_game: String,
    pub keys: Keys,
}

/// Ready-made keys of an account.
#[derive(Debug, Clone, Deserialize)]
#[expect(missing_docs, reason = "each is named for what it is")]
pub struct Keys {
    pub test: String,
    pub test_write: String,
    pub live: String,
    pub live_write: String,
    pub live_secret: String,
    pub live_public: String,
    pub test_secret: String,
    pub revoked: String,
}

impl Fleet {
    /// Adds a member to the file of staff members, which the services read within seconds; returns the token.
    pub fn add_member(&self, name: &str, role: Role) -> String {
        let token = kit::ids::secret(TOKEN_PREFIX);
        let member = Member { name: name.to_owned(), role, last_day: Some(LAST_DAY) };
        let path = self.clock_file.with_file_name("staff-members");
        let file = std::fs::OpenOptions::new().append(true).open(path);
        let line = format!("{}\n", members_file::line(&member, &token));
        // In one write, because other tests append to the file at the same time.
        file.unwrap().write_all(line.as_bytes()).unwrap();
        token
    }

    /// The fleet that tests share: the one that `FLEET_JSON` describes, or else the one that `deploy/up` runs.
    pub fn shared() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the one setting of the tests")]
        let named = std::env::var("FLEET_JSON").ok();
        let path = named.map_or_else(|| root().join(".fleet/fleet.json"), PathBuf::from);
        Self::read(&path)
    }

    /// Reads a description of a fleet.
    ///
    /// # Panics
    /// The file cannot be read.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| {
            panic!(
                "no running fleet at {} ({error}); `deploy/test` starts one, or start one with `deploy/up`",
                path.display()
            )
        });
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub fn account(&self, name: &str) -> &Account {
        self.accounts.iter().find(|account| account.name == name).unwrap()
    }

    /// The pids of services and servers by name, in a fleet with one process of each. Leaves out those that are down.
    pub fn pids(&self) -> BTreeMap<String, i32> {
        let services = self.services.iter().map(|one| (&one.name, one.pid));
        let servers = self.servers.iter().map(|one| (&one.name, one.pid));
        services.chain(servers).filter_map(|(name, pid)| Some((name.clone(), pid?))).collect()
    }

    pub fn replicas(&self, name: &str) -> impl Iterator<Item = &Service> {
        self.services.iter().filter(move |one| one.name == name)
    }

    /// One value per gateway: this fleet with that gateway as the public API.
    pub fn by_gateway(&self) -> Vec<Self> {
        let gateways = self.replicas("gateway");
        gateways
            .filter_map(|it| it.http.as_ref())
            .map(|http| Self { base_url: format!("{http}/v1"), ..self.clone() })
            .collect()
    }

    /// A metric with integer values, for each process of a service. It is the sum over all labels, unless `name` contains the labels.
    pub async fn metric(&self, service: &str, name: &str) -> Vec<u64> {
        let samples = self.samples(service, name).await;
        samples.into_iter().map(|all| all.into_iter().sum()).collect()
    }

    /// The samples of a metric, for each process of a service.
    async fn samples(&self, service: &str, name: &str) -> Vec<Vec<u64>> {
        let mut samples = Vec::new();
        for process in self.replicas(service) {
            let answer = reqwest::get(&process.metrics).await.unwrap();
            let text = answer.text().await.unwrap();
            let values = text.lines().filter_map(|line| {
                let rest = line.strip_prefix(name)?;
                let (_, value) = rest.rsplit_once(' ')?;
                rest.starts_with([' ', '{']).then(|| value.parse::<u64>().unwrap())
            });
            samples.push(values.collect());
        }
        samples
    }

    /// Asserts that no replica of catalogue-svc lacked a change that a read had to show (§1).
    pub async fn assert_no_read_behind(&self) {
        let name = "catalogue_reads_behind_total";
        let behind = self.samples("catalogue-svc", name).await;
        assert!(
            !behind.is_empty() && behind.iter().all(|reads| reads == &[0]),
            "reads behind: {behind:?}"
        );
    }

    /// The slugs of the published live games in the database of listings-svc. `None` while PostgreSQL does not answer.
    #[expect(clippy::disallowed_methods, reason = "the tests have no schema of their own")]
    pub async fn published_games(&self) -> Option<BTreeSet<String>> {
        let mut connection = PgConnection::connect(&self.database_url).await.ok()?;
        let slugs: Vec<String> = sqlx::query_scalar(
            "select name from listings.listing where entity = 'game' and mode = 'live' and state = 'published'",
        )
        .fetch_all(&mut connection)
        .await
        .ok()?;
        Some(slugs.into_iter().collect())
    }

    /// The first process of a service.
    pub fn service(&self, name: &str) -> &Service {
        self.replicas(name).next().unwrap()
    }
}

impl Service {
    /// The environment of the process, which holds the settings.
    ///
    /// # Panics
    /// The process is down.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let pid = self.pid.unwrap();
        let text = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
        let text = String::from_utf8(text).unwrap();
        let variables = text.split('\0').filter_map(|it| it.split_once('='));
        variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

/// The top of the source tree.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
