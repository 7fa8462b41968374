//! GET /changes and `updated_since` (§10.14, §10.15): mirrors of the live listings and of the samples.

use std::collections::{BTreeMap, BTreeSet};

use contracts::public::{ChangedRow, Creator, Game, ListingChange, SearchAddress, Timestamp};
use e2e::{Client, Fleet, Response, Staff, eventually};
use kit::Clock;
use kit::cursor::Binding;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};

use crate::lists::{assert_cursor_is_bound, live, sample};

/// By type, and slug or handle.
type Rows = BTreeMap<(String, String), Value>;

struct Mirror {
    client: Client,
    rows: Rows,
    cursor: String,
}

impl Mirror {
    fn new(client: Client) -> Self {
        Self {
            client,
            rows: Rows::new(),
            cursor: String::new(),
        }
    }

    async fn page(&self, limit: usize) -> Response {
        let path = format!("/changes?limit={limit}&cursor={}", self.cursor);
        self.client.get(&path).await
    }

    /// Takes all that is new, page by page; returns it.
    async fn pull(&mut self, limit: usize) -> Vec<ListingChange> {
        let mut new = Vec::new();
        loop {
            let page = self.page(limit).await;
            let data = page.data().as_array().unwrap();
            for change in data {
                let shaped: ListingChange = serde_json::from_value(change.clone()).unwrap();
                assert_eq!(serde_json::to_value(&shaped).unwrap(), *change);
                let name = name(&shaped);
                if shaped.change == "removed" {
                    self.rows.remove(&name);
                } else {
                    self.rows.insert(name, change["row"].clone());
                }
                new.push(shaped);
            }
            let meta = &page.body["meta"];
            // At the end too.
            meta["next_cursor"]
                .as_str()
                .unwrap()
                .clone_into(&mut self.cursor);
            if data.len() < limit {
                assert_eq!(meta["total"], self.rows.len(), "{}", page.text);
                return new;
            }
        }
    }

    /// What is new of listings whose name has `part`.
    async fn news(&mut self, part: &str) -> Vec<(String, String)> {
        let new = self.pull(100).await.into_iter();
        let new = new.map(|change| (name(&change).1, change.change));
        new.filter(|(name, _)| name.contains(part)).collect()
    }

    fn of(&self, kind: &str) -> Vec<&Value> {
        let rows = self.rows.iter().filter(|((of, _), _)| of == kind);
        rows.map(|(_, row)| row).collect()
    }
}

fn name(change: &ListingChange) -> (String, String) {
    let (SearchAddress::Slug(name) | SearchAddress::Handle(name)) = &change.address;
    (change.kind.clone(), name.clone())
}

/// What the lists say.
async fn listed(client: &Client) -> Rows {
    let mut rows = Rows::new();
    for (kind, path, field) in [
        ("games", "/games", "slug"),
        ("creators", "/creators", "handle"),
        ("events", "/events?when=all", "slug"),
    ] {
        for row in client.all(path, 100).await {
            let name = row[field].as_str().unwrap().to_owned();
            rows.insert((kind.to_owned(), name), row);
        }
    }
    rows
}

/// A page of an account's own, and what is done with its listings.
struct Studio {
    staff: Staff,
    owner: Client,
    handle: String,
}

impl Studio {
    async fn open(fleet: &Fleet) -> Self {
        let mut staff = Staff::of(fleet).await;
        let account = staff.account("unlimited").await;
        let handle = format!("mirrored-{}", kit::ids::row_id().simple());
        staff.page(&account, &handle).await;
        let owner = staff.writer(fleet, &account, "live").await;
        Self {
            staff,
            owner,
            handle,
        }
    }

    /// Sends a game in; returns its slug.
    async fn submit(&self, word: &str) -> String {
        let title = format!("{} {word}", self.handle);
        let body = json!({"creator": self.handle, "title": title});
        let request = self.owner.request(Method::POST, "/games").json(&body);
        let sent = self.owner.send(request).await;
        sent.data()["slug"].as_str().unwrap().to_owned()
    }

    async fn publish(&self, word: &str) -> String {
        let slug = self.submit(word).await;
        self.staff.approve("game", &slug).await;
        slug
    }

    async fn edit(&self, slug: &str, tagline: &str) {
        let request = self.owner.request(Method::PATCH, &format!("/games/{slug}"));
        let edited = self.owner.send(request.json(&json!({"tagline": tagline})));
        edited.await.data();
    }

    async fn move_to(&self, city: &str, tagline: &str) {
        let changes = json!({"city": city, "tagline": tagline});
        self.staff.edit("page", &self.handle, &changes).await;
    }
}

#[tokio::test]
async fn a_mirror_hears_of_what_happens_in_its_order() {
    let fleet = Fleet::shared();
    let studio = Studio::open(&fleet).await;
    let (handle, staff) = (studio.handle.clone(), &studio.staff);
    let mut mirror = Mirror::new(live(&fleet).await);
    mirror.pull(100).await;
    let news = |name: &str, change: &str| (name.to_owned(), change.to_owned());

    let one = studio.publish("one").await;
    let other = studio.submit("other").await;
    // What waits is not spoken of.
    assert_eq!(mirror.news(&handle).await, [news(&one, "published")]);
    studio.edit(&one, "First").await;
    staff.approve("game", &other).await;
    studio.edit(&one, "Second").await;
    let expected = [news(&other, "published"), news(&one, "updated")];
    assert_eq!(mirror.news(&handle).await, expected);
    staff.take_down("game", &one).await;
    assert_eq!(mirror.news(&handle).await, [news(&one, "removed")]);
    staff.restore("game", &one).await;
    assert_eq!(mirror.news(&handle).await, [news(&one, "updated")]);

    // The games of a creator change with it.
    studio.move_to("Abuja", "").await;
    let mut expected = [
        news(&handle, "updated"),
        news(&one, "updated"),
        news(&other, "updated"),
    ];
    expected[1..].sort();
    assert_eq!(mirror.news(&handle).await, expected);
    let of_handle = |row: &&&Value| row["creator"]["handle"] == handle;
    let games = mirror.of("games");
    let cities: Vec<&Value> = games
        .iter()
        .filter(of_handle)
        .map(|row| &row["city"])
        .collect();
    assert_eq!(cities, ["Abuja", "Abuja"]);
    staff.take_down("page", &handle).await;
    let gone = mirror.news(&handle).await;
    assert_eq!(gone.len(), 3, "{gone:?}");
    assert!(
        gone.iter().all(|(_, change)| change == "removed"),
        "{gone:?}"
    );

    // Who begins now hears of none of it.
    let mut late = Mirror::new(live(&fleet).await);
    assert!(late.news(&handle).await.is_empty());
}

/// Numbers that look random and are the same each time.
fn dice(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    usize::try_from(*seed >> 33).unwrap() % below
}

#[tokio::test]
async fn a_mirror_ends_with_exactly_what_the_lists_say() {
    let fleet = Fleet::shared();
    let studio = Studio::open(&fleet).await;
    let (client, staff) = (live(&fleet).await, &studio.staff);
    let mut mirror = Mirror::new(client.clone());
    let mut seed = 20;
    let mut games: Vec<(String, bool)> = Vec::new();
    for round in 0..48 {
        let place = dice(&mut seed, games.len().max(1));
        match (dice(&mut seed, 5), games.get_mut(place)) {
            (0 | 1, _) | (_, None) => {
                games.push((studio.publish(&format!("round {round}")).await, true));
            }
            (2, Some((slug, true))) => studio.edit(slug, &format!("Round {round}")).await,
            (3, Some((slug, public))) => {
                if *public {
                    staff.take_down("game", slug).await;
                } else {
                    staff.restore("game", slug).await;
                }
                *public = !*public;
            }
            _ => {
                // Cities with creators of the real directory, so that no page of a city comes and goes.
                let city = ["Lagos", "Abuja", "Kaduna"][round % 3];
                studio.move_to(city, &format!("Round {round}")).await;
            }
        }
        if dice(&mut seed, 3) == 0 {
            mirror.pull(1 + dice(&mut seed, 40)).await;
        }
    }
    // Other tests write as well: what they change while the lists are read is not compared.
    mirror.pull(100).await;
    let held = mirror.rows.clone();
    let lists = listed(&client).await;
    let meanwhile: BTreeSet<_> = mirror.pull(100).await.iter().map(name).collect();
    let steady = |rows: Rows| -> Rows {
        let rows = rows.into_iter();
        rows.filter(|(name, _)| !meanwhile.contains(name)).collect()
    };
    assert_eq!(steady(held), steady(lists));
    let is_own = |(_, name): &(String, String)| name.contains(&studio.handle);
    assert!(!meanwhile.iter().any(is_own), "{meanwhile:?}");
    let mut own: Vec<&str> = games
        .iter()
        .filter(|game| game.1)
        .map(|game| &*game.0)
        .collect();
    own.sort_unstable();
    let of_handle = |row: &&Value| row["creator"]["handle"] == studio.handle;
    let held = mirror.of("games").into_iter().filter(of_handle);
    let held: Vec<&str> = held.map(|row| row["slug"].as_str().unwrap()).collect();
    assert_eq!(held, own);
}

#[tokio::test]
async fn the_samples_are_published_once_and_stay() {
    let client = sample(&Fleet::shared());
    let mut mirror = Mirror::new(client.clone());
    let changes = mirror.pull(7).await;
    assert!(changes.iter().all(|change| change.change == "published"));
    assert_eq!(mirror.rows, listed(&client).await);
    assert_eq!(changes.len(), mirror.rows.len());
    // A creator comes before its games.
    let mut seen = Vec::new();
    for change in &changes {
        match change.row.as_ref().unwrap() {
            ChangedRow::Creator(creator) => seen.push(&creator.handle),
            ChangedRow::Game(game) => assert!(seen.contains(&&game.creator.handle)),
            ChangedRow::Event(_) => {}
        }
    }
    let end = mirror.page(20).await;
    assert_eq!(end.data(), &json!([]));
    assert_eq!(end.body["meta"]["next_cursor"], mirror.cursor);
}

#[tokio::test]
async fn a_cursor_of_another_history_says_to_start_again() {
    let fleet = Fleet::shared();
    let client = live(&fleet).await;
    let before_a_restore = json!({
        "epoch": "00000000-0000-0000-0000-000000000001", "began_at": 5, "seq": 5, "listing": null,
    });
    let cursor = Binding::new("changes", [Some("live")]).encode(&before_a_restore);
    let answer = client
        .get(&format!("/changes?cursor={}", cursor.unwrap()))
        .await;
    answer.assert_error(410, "gone");
    let message = answer.body["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("Start again without a cursor"),
        "{message}"
    );

    assert_cursor_is_bound(&client, "/changes", "/games").await;
    assert_cursor_is_bound(&client, "/games", "/changes").await;
    let (of_live, samples) = (Mirror::new(client), sample(&fleet));
    let cursor = of_live.page(1).await.body["meta"]["next_cursor"].clone();
    let path = format!("/changes?cursor={}", cursor.as_str().unwrap());
    samples.get(&path).await.assert_error(400, "invalid");
    for query in ["limit=0", "limit=101", "limit=5&limit=5", "cursor=nonsense"] {
        let answer = samples.get(&format!("/changes?{query}")).await;
        answer.assert_error(400, "invalid");
    }
}

#[tokio::test]
async fn lists_show_what_changed_since_then() {
    let fleet = Fleet::shared();
    let studio = Studio::open(&fleet).await;
    let client = live(&fleet).await;
    let slug = studio.publish("since").await;
    let updated_at = async || {
        let game: Game = client.one(&format!("/games/{slug}")).await;
        serde_json::to_value(game.updated_at).unwrap()
    };
    let slugs = async |since: &Value| {
        let since = since.as_str().unwrap();
        let path = format!("/games?creator={}&updated_since={since}", studio.handle);
        let rows = client.all(&path, 1).await;
        rows.iter()
            .map(|row| row["slug"].clone())
            .collect::<Vec<_>>()
    };
    let first = updated_at().await;
    studio.edit(&slug, "Later").await;
    let second = updated_at().await;
    let newer = studio.publish("newer").await;
    // The order is that of the list: the newest first.
    assert_eq!(slugs(&first).await, [newer.as_str(), slug.as_str()]);
    assert_eq!(slugs(&second).await, [newer.as_str(), slug.as_str()]);

    // An approval makes a listing appear, whenever it was written.
    let waiting = studio.submit("waiting").await;
    studio.edit(&newer, "Later too").await;
    let game: Game = client.one(&format!("/games/{newer}")).await;
    let third = serde_json::to_value(game.updated_at).unwrap();
    studio.staff.approve("game", &waiting).await;
    assert_eq!(slugs(&third).await, [waiting.as_str(), newer.as_str()]);

    let path = format!("/creators/{}", studio.handle);
    let _: Creator = client.one(&path).await;
    for (list, more) in [("games", ""), ("creators", ""), ("events", "&when=all")] {
        let all = format!("/{list}?updated_since=1950-01-01{more}");
        let all = client.get(&all).await.body["meta"]["total"].clone();
        assert!(all.as_u64().unwrap() > 20, "{list}: {all}");
        for (bad, reason) in [
            ("yesterday", "Give a time"),
            ("2999-01-01", "Your clock may be fast"),
            ("2999-01-01T00:00:00Z", "Your clock may be fast"),
        ] {
            let bad = format!("/{list}?updated_since={bad}{more}");
            let refused = client.get(&bad).await;
            refused.assert_error(400, "invalid");
            let field = refused.body["fields"]["updated_since"].as_str().unwrap();
            assert!(field.contains(reason), "{bad}: {field}");
        }
    }
}

/// A change has the time at which its write began: a caller that polls with the moment of its last call misses one that was committed
/// after it. Set back by a minute, the moment finds it, and so does `/changes`.
#[tokio::test]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests have no schema of their own"
)]
async fn a_change_that_is_committed_late_has_the_time_of_its_beginning() {
    let fleet = Fleet::shared();
    let studio = Studio::open(&fleet).await;
    let slug = studio.publish("late").await;
    let mut mirror = Mirror::new(live(&fleet).await);
    mirror.pull(100).await;

    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let mut edits = 0;
    let polled = loop {
        // The test has the place of the next revision, until it rolls back: the write waits for that before it can be committed.
        let mut held = connection.begin().await.unwrap();
        let place = sqlx::query(
            "insert into listings.revision (entity, id, revision, at, actor_kind, actor, after)
             select 'game', id, revision + 1, now(), 'account', 'a test', '{}'::jsonb from listings.game where slug = $1",
        );
        let placed = place.bind(&slug).execute(&mut *held).await.unwrap();
        assert_eq!(placed.rows_affected(), 1);
        let polled = async {
            eventually("the write waits for its revision", async || {
                let waiting = sqlx::query_scalar::<_, bool>(
                    "select exists (select from pg_locks where pg_backend_pid() = any (pg_blocking_pids(pid)))",
                );
                let is_waiting = waiting.fetch_one(&mut *held).await.unwrap();
                is_waiting.then_some(())
            })
            .await;
            let polled = Clock::system().now();
            held.rollback().await.unwrap();
            polled
        };
        edits += 1;
        let tagline = format!("Later {edits}");
        let ((), polled) = futures::join!(studio.edit(&slug, &tagline), polled);
        // A write that has waited for a tenth of a second begins again, and has the time of that.
        let game: Game = mirror.client.one(&format!("/games/{slug}")).await;
        if game.updated_at.0 < polled {
            break polled;
        }
    };

    let since = async |at: time::OffsetDateTime| {
        let at = serde_json::to_value(Timestamp(at)).unwrap();
        let (handle, at) = (&studio.handle, at.as_str().unwrap());
        let path = format!("/games?creator={handle}&updated_since={at}");
        mirror.client.all(&path, 10).await.len()
    };
    // Times have milliseconds.
    assert_eq!(since(polled + time::Duration::MILLISECOND).await, 0);
    assert_eq!(since(polled - time::Duration::MINUTE).await, 1);
    let news = mirror.news(&studio.handle).await;
    assert_eq!(news, [(slug, "updated".to_owned())]);
}
