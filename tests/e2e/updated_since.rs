//! `updated_since` (§10.14): lists of what has changed since a time.

use contracts::public::{Game, Timestamp};
use e2e::{Fleet, Studio, eventually};
use kit::Clock;
use serde_json::Value;
use sqlx::{Connection as _, PgConnection};

use crate::lists::live;

#[tokio::test]
async fn lists_show_what_has_changed_since_a_time() {
    let fleet = Fleet::shared();
    let studio = Studio::new(&fleet).await;
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
        rows.iter().map(|row| row["slug"].clone()).collect::<Vec<_>>()
    };
    let first = updated_at().await;
    studio.edit(&slug, "Later").await;
    let second = updated_at().await;
    let newer = studio.publish("newer").await;
    // The order of the list is by creation, the newest first.
    assert_eq!(slugs(&first).await, [newer.as_str(), slug.as_str()]);
    assert_eq!(slugs(&second).await, [newer.as_str(), slug.as_str()]);

    // Approval makes a listing appear, whenever it was written.
    let waiting = studio.submit("waiting").await;
    studio.edit(&newer, "Later too").await;
    let game: Game = client.one(&format!("/games/{newer}")).await;
    let third = serde_json::to_value(game.updated_at).unwrap();
    studio.staff.approve("game", &waiting).await;
    assert_eq!(slugs(&third).await, [waiting.as_str(), newer.as_str()]);

    for (list, more) in [("games", ""), ("creators", ""), ("events", "&when=all")] {
        let all = format!("/{list}?updated_since=1950-01-01{more}");
        let all = client.get(&all).await.body["meta"]["total"].clone();
        assert!(all.as_u64().unwrap() > 20, "{list}: {all}");
        let future = format!("/{list}?updated_since=2999-01-01{more}");
        let refused = client.get(&future).await;
        refused.assert_error(400, "invalid");
        assert!(refused.body["fields"]["updated_since"].is_string());
    }
}

/// A change has the time at which its write began. A caller that polls with the time of its last call misses a change that was committed after that
/// call, unless it subtracts a minute.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the tests have no schema of their own")]
async fn a_change_that_is_committed_late_has_the_time_of_its_beginning() {
    let fleet = Fleet::shared();
    let studio = Studio::new(&fleet).await;
    let slug = studio.publish("late").await;
    let client = live(&fleet).await;

    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let mut edits = 0;
    let polled = loop {
        // The test inserts the next revision, and does not commit: the write waits until the test rolls back.
        let mut held = connection.begin().await.unwrap();
        let place = sqlx::query(
            "insert into listings.revision (id, revision, at, actor_kind, actor, after)
             select id, revision + 1, now(), 'account', 'a test', '{}'::jsonb from listings.listing where entity = 'game' and name = $1",
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
        // A write that has waited for a tenth of a second starts again, and has the time of that start.
        let game: Game = client.one(&format!("/games/{slug}")).await;
        if game.updated_at.0 < polled {
            break polled;
        }
    };

    let since = async |at: time::OffsetDateTime| {
        let at = serde_json::to_value(Timestamp(at)).unwrap();
        let (handle, at) = (&studio.handle, at.as_str().unwrap());
        let path = format!("/games?creator={handle}&updated_since={at}");
        let games = client.all(&path, 10).await;
        games.iter().any(|game| game["slug"] == *slug)
    };
    // Times have a resolution of milliseconds.
    assert!(!since(polled + time::Duration::MILLISECOND).await);
    assert!(since(polled - time::Duration::MINUTE).await);
}
