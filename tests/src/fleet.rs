//! The running fleet, as its launcher describes it in `fleet.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use kit::rpc::members_file::{self, TOKEN_PREFIX};
use kit::rpc::staff::{Member, Role};
use serde::Deserialize;
use sqlx::{Connection as _, PgConnection};
use time::Date;
use time::macros::date;

/// That of members whom tests add.
const LAST_DAY: Date = date!(2999 - 12 - 31);

/// A running fleet.
#[derive(Debug, Clone, Deserialize)]
pub struct Fleet {
    /// `running` once everything is there.
    pub state: String,
    /// What paths of the public interface are relative to; ends in `/v1`.
    pub base_url: String,
    /// Address of the OpenAPI document.
    pub openapi_url: String,
    /// Address of the public site and the dashboard; ends in a slash.
    pub dashboard_url: String,
    /// The folder of mails.
    pub mail_dir: PathBuf,
    /// PostgreSQL, as its administrator.
    pub database_url: String,
    /// Redis.
    pub redis_url: String,
    /// A file that moves the fleet's clock.
    pub clock_file: PathBuf,
    /// Every process of a service.
    pub services: Vec<Service>,
    /// PostgreSQL and Redis, where the launcher started them.
    pub servers: Vec<Server>,
    /// What staff calls carry.
    pub staff_token: String,
    /// What services of the fleet know each other by.
    #[serde(rename = "fleet_token")]
    pub service_token: String,
    /// Accounts with ready-made keys.
    pub accounts: Vec<Account>,
}

/// One process of the fleet.
#[derive(Debug, Clone, Deserialize)]
pub struct Service {
    /// For example `gateway`; replicas share it.
    pub name: String,
    /// Its process; `None` while it is down and waits to be started again.
    pub pid: Option<i32>,
    /// Address of its internal port.
    pub grpc: String,
    /// Address of its public port, where it has one.
    pub http: Option<String>,
    /// Where its metrics are.
    pub metrics: String,
    /// Where it says whether it is alive.
    pub health: String,
    /// Where it says whether it is ready for calls.
    pub ready: String,
}

/// A server that the launcher keeps running.
#[derive(Debug, Clone, Deserialize)]
pub struct Server {
    /// `postgres` or `redis`.
    pub name: String,
    /// Its process; `None` while it is down and waits to be started again.
    pub pid: Option<i32>,
}

/// A ready-made account.
#[derive(Debug, Clone, Deserialize)]
pub struct Account {
    /// What the launcher calls it: `free`, `build`, `partner` or `other`.
    pub name: String,
    /// Its plan.
    pub plan: String,
    /// The e-mail address of its owner.
    pub email: String,
    /// The password of its owner, for the dashboard.
    pub password: String,
    /// Its game with a currency.
    pub economy_game: String,
    /// Its keys.
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
    /// Adds a member of staff to the file that the services read within seconds; returns the token.
    pub fn add_member(&self, name: &str, role: Role) -> String {
        let token = kit::ids::secret(TOKEN_PREFIX);
        let member = Member {
            name: name.to_owned(),
            role,
            last_day: Some(LAST_DAY),
        };
        let path = self.clock_file.with_file_name("staff-members");
        let file = std::fs::OpenOptions::new().append(true).open(path);
        let line = format!("{}\n", members_file::line(&member, &token));
        // At once: other tests add members at the same time.
        file.unwrap().write_all(line.as_bytes()).unwrap();
        token
    }

    /// The fleet that the tests share: the one whose description `FLEET_JSON` names, or the one that `deploy/up` runs.
    pub fn shared() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the one setting of the tests")]
        let named = std::env::var("FLEET_JSON").ok();
        let path = named.map_or_else(|| root().join(".fleet/fleet.json"), PathBuf::from);
        Self::read(&path)
    }

    /// The fleet described in the file at `path`.
    ///
    /// # Panics
    /// When there is none.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| {
            panic!(
                "no running fleet at {} ({error}); `deploy/test` starts one, or start one with `deploy/up`",
                path.display()
            )
        });
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A ready-made account.
    pub fn account(&self, name: &str) -> &Account {
        self.accounts
            .iter()
            .find(|account| account.name == name)
            .unwrap()
    }

    /// Every process by name, services and servers, of a fleet with one of each; those that are down are left out.
    pub fn pids(&self) -> BTreeMap<String, i32> {
        let services = self.services.iter().map(|one| (&one.name, one.pid));
        let servers = self.servers.iter().map(|one| (&one.name, one.pid));
        services
            .chain(servers)
            .filter_map(|(name, pid)| Some((name.clone(), pid?)))
            .collect()
    }

    /// All processes of a service.
    pub fn replicas(&self, name: &str) -> impl Iterator<Item = &Service> {
        self.services.iter().filter(move |one| one.name == name)
    }

    /// The same fleet as each of its gateways shows it to callers.
    pub fn by_gateway(&self) -> Vec<Self> {
        let gateways = self.replicas("gateway");
        gateways
            .filter_map(|it| it.http.as_ref())
            .map(|http| Self {
                base_url: format!("{http}/v1"),
                ..self.clone()
            })
            .collect()
    }

    /// A metric of whole numbers, of each process of a service: the sum over the labels that `name` leaves open.
    pub async fn metric(&self, service: &str, name: &str) -> Vec<u64> {
        let samples = self.samples(service, name).await;
        samples
            .into_iter()
            .map(|all| all.into_iter().sum())
            .collect()
    }

    /// The samples of a metric, of each process of a service.
    async fn samples(&self, service: &str, name: &str) -> Vec<Vec<u64>> {
        let mut samples = Vec::new();
        for process in self.replicas(service) {
            let answer = reqwest::get(&process.metrics).await.unwrap();
            let text = answer.text().await.unwrap();
            let values = text.lines().filter_map(|line| {
                let rest = line.strip_prefix(name)?;
                let (_, value) = rest.rsplit_once(' ')?;
                rest.starts_with([' ', '{'])
                    .then(|| value.parse::<u64>().unwrap())
            });
            samples.push(values.collect());
        }
        samples
    }

    /// No replica of catalogue-svc was behind what a read had to show (§1).
    pub async fn assert_no_read_behind(&self) {
        let name = "catalogue_reads_behind_total";
        let behind = self.samples("catalogue-svc", name).await;
        assert!(
            !behind.is_empty() && behind.iter().all(|reads| reads == &[0]),
            "reads behind: {behind:?}"
        );
    }

    /// The slugs of the published live games in the database of listings-svc. `None` while it does not answer.
    #[expect(
        clippy::disallowed_methods,
        reason = "the tests have no schema of their own"
    )]
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
    /// The environment of the process, which has its settings.
    ///
    /// # Panics
    /// The process is down.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let pid = self.pid.unwrap();
        let text = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
        let text = String::from_utf8(text).unwrap();
        let variables = text.split('\0').filter_map(|it| it.split_once('='));
        variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }
}

/// The project's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}
