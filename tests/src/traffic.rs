//! Traffic during a fault: staff import and change games and create accounts with keys, a client reads, and the public writes.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, timeout};

use crate::load::longest_pause;
use crate::staff::{edit_request, import_messages};
use crate::{Client, Fleet, KeyRequest, PublicWrites, Staff, eventually_within};

/// The timeout of a wait: after a fault, a fleet may pause for half a minute before it tries again.
pub(crate) const GIVE_UP: Duration = Duration::from_mins(5);
const ROWS: usize = 5;
/// The timeout of a call. The effect of a call that times out is unknown.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// The interval between two calls of one kind.
const PACE: Duration = Duration::from_millis(200);

/// Runs the traffic, and records what was acknowledged.
pub struct Traffic {
    /// The client that reads.
    pub caller: Client,
    pub public: PublicWrites,
    staff: Staff,
    seen: RefCell<Seen>,
    flows: Cell<bool>,
}

/// What was acknowledged.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Slugs of all games in imports, acknowledged or not.
    pub sent: Vec<String>,
    /// Slugs of the games whose import was acknowledged.
    pub games: Vec<String>,
    /// Keys whose creation was acknowledged.
    pub keys: Vec<NewKey>,
    pub reads: usize,
    /// The highest use of the month that a response to the reads showed.
    pub used: Option<u64>,
    /// When imports and keys were acknowledged.
    pub writes: Vec<Instant>,
}

#[derive(Debug, Clone)]
pub struct NewKey {
    pub account: String,
    pub secret: String,
}

impl Traffic {
    /// The tagline of a game that staff have changed.
    pub const CHANGED: &str = "Changed";

    /// Connects the clients. [`Traffic::flow`] starts the traffic.
    pub async fn new(fleet: &Fleet) -> Self {
        let mut staff = Staff::new(fleet).await;
        let account = staff.account("unlimited").await;
        let (_, key) = staff.key(&account, KeyRequest::live()).await;
        Self {
            caller: Client::new(fleet, &key),
            public: PublicWrites::new(fleet).await,
            staff,
            seen: RefCell::default(),
            flows: Cell::new(false),
        }
    }

    pub fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// The numbers of imported games, created keys, answered reads, votes, changes, and answers to the report.
    pub fn progress(&self) -> [usize; 6] {
        let seen = self.seen.borrow();
        let [votes, changes, reports] = self.public.progress();
        let (games, keys) = (seen.games.len(), seen.keys.len());
        [games, keys, seen.reads, votes, changes, reports]
    }

    /// Waits until each number of [`Traffic::progress`] has grown by as much as `enough` says.
    pub async fn goes_on(&self, what: &str, enough: [usize; 6]) {
        let from = self.progress();
        eventually_within(GIVE_UP, what, async || {
            let mut kinds = self.progress().into_iter().zip(from).zip(enough);
            let done = kinds.all(|((now, from), enough)| now >= from + enough);
            done.then_some(())
        })
        .await;
    }

    /// Waits until the API lists the games of listings-svc; returns them. Asserts that no acknowledged import is lost.
    pub async fn agreed_games(&self, fleet: &Fleet, what: &str) -> BTreeMap<String, Value> {
        let agreed = format!("{what}: the API lists what listings-svc holds");
        let listed = eventually_within(GIVE_UP, &agreed, async || {
            let listed = self.games().await?;
            let published = fleet.published_games().await?;
            listed.keys().eq(&published).then_some(listed)
        })
        .await;
        let acknowledged = self.seen().games;
        let mut games = acknowledged.iter();
        let lost = games.find(|slug| !listed.contains_key(*slug));
        assert_eq!(lost, None, "{what}: acknowledged and lost");
        listed
    }

    /// Asserts that each key whose creation was acknowledged works.
    pub async fn assert_keys_work(&self, fleet: &Fleet, what: &str) {
        for key in self.seen().keys {
            let client = Client::new(fleet, &key.secret);
            let works = format!("{what}: a key whose creation was acknowledged works");
            let account = eventually_within(GIVE_UP, &works, async || {
                let me = client.get("/me").await;
                // The gateway has not reached the servers again yet.
                (me.status != 503).then(|| me.data()["account"]["id"].clone())
            })
            .await;
            assert_eq!(account, key.account, "{what}");
        }
    }

    /// Runs until [`Traffic::stop`], then waits for the calls in flight.
    pub async fn flow(&self) {
        self.flows.set(true);
        tokio::join!(
            self.while_it_flows(async || self.import().await),
            self.while_it_flows(async || self.make_a_key().await),
            self.while_it_flows(async || self.read().await),
            self.while_it_flows(async || self.public.vote().await),
            self.while_it_flows(async || self.public.change().await),
            self.while_it_flows(async || self.public.report().await),
        );
    }

    /// The longest time without an acknowledged write since `from`.
    pub fn longest_pause(&self, from: Instant) -> Duration {
        longest_pause(&self.seen.borrow().writes, from)
    }

    /// Ends [`Traffic::flow`].
    pub fn stop(&self) {
        self.flows.set(false);
    }

    /// The live games that the API lists, by slug. `None` while the API does not answer, or if a game was added between two pages.
    pub async fn games(&self) -> Option<BTreeMap<String, Value>> {
        let rows = rows(&self.caller, "/games").await?;
        let total = rows.len();
        let slug = |row: &Value| row["slug"].as_str().unwrap().to_owned();
        let games: BTreeMap<String, Value> =
            rows.into_iter().map(|row| (slug(&row), row)).collect();
        (games.len() == total).then_some(games)
    }

    async fn while_it_flows(&self, work: impl AsyncFn() -> Option<()>) {
        let mut pace = tokio::time::interval(PACE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while self.flows.get() {
            pace.tick().await;
            // A call that failed was not acknowledged, so ignore it.
            let _: Option<()> = work().await;
        }
    }

    async fn import(&self) -> Option<()> {
        let slugs: Vec<String> =
            (0..ROWS).map(|_| format!("killed-{}", kit::ids::row_id().simple())).collect();
        let row = |slug: &String| {
            json!({ "slug": slug, "title": slug, "tagline": "", "genres": ["puzzle"], "platforms": ["web"],
                "stage": "released", "release_year": 2024, "creator": "maliyo-games", "links": {} })
        };
        let rows: Vec<Value> = slugs.iter().map(row).collect();
        let messages = import_messages("game", &rows);
        self.seen.borrow_mut().sent.extend(slugs.iter().cloned());
        let mut imports = self.staff.imports.clone();
        let call = imports.import(futures::stream::iter(messages));
        let report = timeout(PATIENCE, call).await.ok()?.ok()?.into_inner();
        assert_eq!(report.created, 5, "{:?}", report.refused);
        {
            let mut seen = self.seen.borrow_mut();
            seen.games.extend(slugs.iter().cloned());
            seen.writes.push(Instant::now());
        }
        let changes = json!({"tagline": Self::CHANGED});
        for slug in &slugs {
            let mut reviews = self.staff.reviews.clone();
            let call = reviews.edit(edit_request("game", slug, &changes));
            timeout(PATIENCE, call).await.ok()?.ok()?;
        }
        Some(())
    }

    async fn make_a_key(&self) -> Option<()> {
        let mut staff = self.staff.clone();
        let call = staff.try_account("free");
        let account = timeout(PATIENCE, call).await.ok()?.ok()?;
        let call = staff.try_key(&account, KeyRequest::live());
        let (_, secret) = timeout(PATIENCE, call).await.ok()?.ok()?;
        let mut seen = self.seen.borrow_mut();
        let account = account.account.id;
        seen.keys.push(NewKey { account, secret });
        seen.writes.push(Instant::now());
        Some(())
    }

    async fn read(&self) -> Option<()> {
        let get = async |path| send(self.caller.request(Method::GET, path)).await;
        let me = get("/me").await?;
        get("/games?limit=1").await?;
        let mut seen = self.seen.borrow_mut();
        seen.reads += 1;
        // The value is null while the gateway cannot read the counter.
        let used = me["data"]["month"]["used"].as_u64();
        seen.used = seen.used.max(used);
        Some(())
    }
}

/// Sends a request that may fail, unlike those of [`Client`]; returns the body of a success.
pub(crate) async fn send(request: RequestBuilder) -> Option<Value> {
    let answer = request.timeout(PATIENCE).send().await.ok()?;
    let status = answer.status();
    let text = answer.text().await.ok()?;
    // The service may be unavailable, or the outcome of a write unknown. No other error may occur, not even a rejected key or a used-up quota.
    let is_fair = status.is_success() || [503, 504].contains(&status.as_u16());
    assert!(is_fair, "{status} {text}");
    status.is_success().then(|| serde_json::from_str(&text).unwrap())
}

/// All rows of a list. `None` while the API does not answer, or if rows were added or removed between two pages.
pub(crate) async fn rows(caller: &Client, path: &str) -> Option<Vec<Value>> {
    let mut rows = Vec::new();
    let mut next = format!("{path}?limit=100");
    loop {
        let page = caller.get(&next).await;
        rows.extend(page.body["data"].as_array()?.iter().cloned());
        let meta = &page.body["meta"];
        let Some(cursor) = meta["next_cursor"].as_str() else {
            return (meta["total"] == rows.len()).then_some(rows);
        };
        next = format!("{path}?limit=100&cursor={cursor}");
    }
}
