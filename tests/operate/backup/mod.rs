//! Backup of PostgreSQL and the pictures, and a restore to an earlier time.

mod pgbackrest;
mod server;
mod sql;

use std::collections::{BTreeMap, BTreeSet};

use e2e::{Client, Fleet, KeyRequest, Receiver, SmallFleet, Staff, eventually};
use serde_json::Value;

use server::Archived;
use sql::time_in_a_later_second;

const GAMES: usize = 10;

/// The schemas with a feed.
const PRODUCERS: [&str; 5] = ["gateway", "listings", "economy", "catalogue", "webhook"];

/// Queries for the live games of listings-svc, and of the services that store a copy, each as one text.
const COPIES: [(&str, &str); 4] = [
    (
        "listings-svc",
        "select string_agg(name, ' ' order by name) from listings.listing where entity = 'game' and mode = 'live' and state = 'published'",
    ),
    (
        "gateway",
        "select string_agg(slug, ' ' order by slug) from gateway.game where mode = 'live' and published",
    ),
    (
        "economy-svc",
        "select string_agg(slug, ' ' order by slug) from economy.game where mode = 'live' and published",
    ),
    (
        "webhook-svc",
        "select string_agg(coalesce(name, copy.id::text), ' ' order by name) from webhook.listing copy left join listings.listing using (id)
            where copy.kind = 'game' and published and coalesce(mode, 'live') = 'live'",
    ),
];

/// Waits until a message about each game of a publication has arrived.
async fn messages_arrive(receiver: &Receiver, publication: &str) {
    let what = format!("the messages about {publication} arrived");
    eventually(&what, async || {
        let arrived = receiver.times(publication).len();
        (arrived >= GAMES).then_some(())
    })
    .await;
}

/// Publishes and announces games whose slugs begin with `publication`.
async fn publish(small: &SmallFleet, publication: &str) {
    let slug = |game| format!("{publication}-{game}");
    let slugs: Vec<String> = (0..GAMES).map(slug).collect();
    small.announce_games(&slugs).await;
}

/// The games in the API, by slug.
async fn games(client: &Client) -> BTreeMap<String, Value> {
    let rows = client.all("/games", 100).await;
    let slug = |row: &Value| row["slug"].as_str().unwrap().to_owned();
    let mut games: BTreeMap<_, _> = rows.into_iter().map(|row| (slug(&row), row)).collect();
    // The fleet may have other ports after a restart.
    for game in games.values_mut() {
        game["url"].take();
    }
    games
}

/// Waits until catalogue-svc and every copy have the games of listings-svc.
async fn copies_agree(server: &Archived, client: &Client) {
    for (service, sql) in COPIES {
        let what = format!("{service} and catalogue-svc have the same games");
        eventually(&what, async || {
            let names = server.text(sql).await?;
            let copy: BTreeSet<&str> = names.split(' ').collect();
            games(client).await.keys().map(String::as_str).eq(copy).then_some(())
        })
        .await;
    }
}

async fn epochs(server: &Archived) -> Vec<Option<String>> {
    let mut epochs = Vec::new();
    for producer in PRODUCERS {
        let sql = format!("select epoch::text from {producer}.feed_head");
        epochs.push(server.text(&sql).await);
    }
    epochs
}

/// Waits until the result of each delivery is recorded. A restore would repeat the others.
async fn deliveries_are_recorded(server: &Archived) {
    let sql = "select count(*)::text from webhook.waiting";
    eventually("every delivery is recorded", async || {
        (server.text(sql).await? == "0").then_some(())
    })
    .await;
}

async fn key(fleet: &Fleet) -> (contracts::gateway::v1::Key, String) {
    let mut staff = Staff::new(fleet).await;
    let account = staff.account("unlimited").await;
    staff.key(&account, KeyRequest::live()).await
}

/// Restores the server to a time. The command refuses that while the fleet runs.
async fn restore(server: &mut Archived, small: &SmallFleet, time: &str) {
    let refused = server.pgbackrest.restore(time).await;
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success()
            && said.contains("still connected: ")
            && said.contains("listings"),
        "{said}"
    );
    small.down().await;
    let restored = server.pgbackrest.restore(time).await;
    assert!(restored.status.success(), "{restored:?}");
    let said = String::from_utf8_lossy(&restored.stdout);
    assert!(
        said.contains(&format!(
            "Lost: everything that was committed after {time}, until at least 2"
        )),
        "{said}"
    );
    server.run().await;
}

/// A lost slug has two messages, because the game that was published again is a new one.
fn each_message_arrived_once(receiver: &Receiver) {
    for (publication, messages) in [
        ("before-the-backup", GAMES),
        ("after-the-backup", GAMES),
        ("lost", 2 * GAMES),
        ("after-the-restore", GAMES),
    ] {
        assert_eq!(receiver.times(publication), vec![1; messages], "{publication}");
    }
}

#[tokio::test]
#[ignore = "long: three backups and a restore"]
async fn a_fleet_is_restored_to_a_time_between_two_writes() {
    let mut server = Archived::start().await;
    let receiver = Receiver::start().await;
    let mut small = SmallFleet::patient();
    small.set("DATABASE_URL", &server.url());
    small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
    let fleet = small.up().await;
    receiver.subscribe(&fleet, &["listing.updated"]).await;
    let ((revoked_later, revoked_secret), (_, kept_secret)) =
        (key(&fleet).await, key(&fleet).await);

    publish(&small, "before-the-backup").await;
    let metrics = server.pgbackrest.backup("full").await;
    assert!(metrics.contains("\nbackup_last_success_timestamp_seconds 1"), "{metrics}");
    publish(&small, "after-the-backup").await;
    for publication in ["before-the-backup", "after-the-backup"] {
        messages_arrive(&receiver, publication).await;
    }
    deliveries_are_recorded(&server).await;
    let kept = games(&Client::new(&fleet, &kept_secret)).await;
    let before = epochs(&server).await;
    let time = time_in_a_later_second(&server.url()).await;

    // The restore loses everything from here on.
    publish(&small, "lost").await;
    messages_arrive(&receiver, "lost").await;
    let (_, lost_secret) = key(&fleet).await;
    Staff::new(&fleet).await.revoke(&revoked_later).await;

    restore(&mut server, &small, &time).await;
    let fleet = small.up().await;

    let client = Client::new(&fleet, &kept_secret);
    assert_eq!(games(&client).await, kept);
    copies_agree(&server, &client).await;
    eventually("every feed has a new epoch", async || {
        let now = epochs(&server).await;
        let mut pairs = before.iter().zip(&now);
        pairs.all(|(before, now)| now.is_some() && before != now).then_some(())
    })
    .await;
    let lost = Client::new(&fleet, &lost_secret).get("/games").await;
    lost.assert_error(401, "invalid_key");
    // In PostgreSQL the key is active. Redis was not restored, and still has its tombstone.
    let id = &revoked_later.id;
    let active = server
        .text(&format!("select (revoked_at is null)::text from gateway.key where id = '{id}'"))
        .await;
    assert_eq!(active.as_deref(), Some("true"));
    let revoked = Client::new(&fleet, &revoked_secret).get("/games").await;
    revoked.assert_error(401, "invalid_key");

    // Some of these games were lost: they are new now, and are announced again.
    for publication in ["after-the-restore", "lost"] {
        publish(&small, publication).await;
    }
    messages_arrive(&receiver, "after-the-restore").await;
    eventually("the lost games are announced again", async || {
        (receiver.times("lost").len() == 2 * GAMES).then_some(())
    })
    .await;
    deliveries_are_recorded(&server).await;
    copies_agree(&server, &client).await;
    each_message_arrived_once(&receiver);
}
