//! The version of rates and figures: commands that change what rates and figures show raise it, and no others.

use contracts::economy::v1 as proto;
use economy::store::games;
use economy::store::version::{self, Version};
use kit::Code;
use kit::api::timestamp;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::review::{approve, approve_unit, hold, reject, retract};
use crate::support::{ACCOUNT, Economy, START, report, start};
use crate::swaps::remove;

/// The version that a test has seen last.
struct Seen {
    pool: PgPool,
    version: Version,
}

impl Seen {
    /// Begins after a first write, which begins the epoch of a new database.
    async fn new(economy: &Economy) -> Self {
        economy.currency("mancala").await;
        let pool = economy.pool.clone();
        Self { version: version::read(&pool).await.unwrap(), pool }
    }

    /// Whether the version was raised since the last call.
    async fn is_raised(&mut self) -> bool {
        let before = self.version;
        self.version = version::read(&self.pool).await.unwrap();
        assert!(self.version.reaches(before));
        self.version != before
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn names_and_reports_raise_the_version_and_held_ones_do_not(pool: PgPool) {
    let economy = start(pool).await;
    let mut seen = Seen::new(&economy).await;
    economy.currency("bao").await;
    assert!(seen.is_raised().await, "a registration");
    economy.name("bao", "Cowrie").await;
    assert!(seen.is_raised().await, "a new name");
    economy.name("bao", "Cowrie").await;
    assert!(!seen.is_raised().await, "the same name");

    economy.report_with("bao", &report(10), "k").await.unwrap();
    assert!(seen.is_raised().await, "a report that counts");
    let again = economy.report_with("bao", &report(10), "k").await.unwrap();
    assert!(again.replayed);
    let soon = economy.report("bao", &report(10)).await.unwrap_err();
    assert_eq!(soon.code, Code::TooSoon);
    hold(&economy, "bao", &[100]).await;
    let tip = json!({"player": "ada", "amount": 5});
    economy.tip("bao", &tip, "").await.unwrap();
    assert!(!seen.is_raised().await, "a replay, a refused and a held report, a tip");
}

#[testing::database_test(economy::MIGRATOR)]
async fn decisions_about_reports_that_count_raise_the_version(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    let [first, second] = hold(&economy, "bao", &[100, 101]).await[..] else {
        unreachable!("two reports are held");
    };
    let mut seen = Seen::new(&economy).await;
    for _ in 0..2 {
        reject(&economy, first, "A slip.").await.unwrap();
        assert!(!seen.is_raised().await, "a rejection");
    }
    for raised in [true, false] {
        approve(&economy, second).await.unwrap();
        assert_eq!(seen.is_raised().await, raised, "an approval");
    }
    for unit in [(true, false), (false, true)] {
        for raised in [true, false] {
            approve_unit(&economy, second, unit).await.unwrap();
            assert_eq!(seen.is_raised().await, raised, "a new unit {unit:?}");
        }
    }
    for raised in [true, false] {
        retract(&economy, second, "A slip.").await.unwrap();
        assert_eq!(seen.is_raised().await, raised, "a retraction");
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn new_and_removed_swaps_raise_the_version(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    let swap = proto::Swap {
        id: "1".to_owned(),
        party: "ada".to_owned(),
        from: "bao".to_owned(),
        to: "kora".to_owned(),
        gave: 10,
        got: 20,
        at: Some(timestamp::encode(START)),
    };
    let request = proto::ImportSwapsRequest { swaps: vec![swap] };
    let mut seen = Seen::new(&economy).await;
    for raised in [true, false] {
        economy.staff.clone().import_swaps(request.clone()).await.unwrap();
        assert_eq!(seen.is_raised().await, raised, "an import");
    }
    for raised in [true, false] {
        remove(&economy, "1", "A test.").await.unwrap();
        assert_eq!(seen.is_raised().await, raised, "a removal");
    }
}

#[testing::database_test(economy::MIGRATOR)]
async fn games_with_a_currency_raise_the_version_when_they_change(pool: PgPool) {
    let economy = start(pool).await;
    let mut seen = Seen::new(&economy).await;
    economy.game("kora", true).await;
    assert!(!seen.is_raised().await, "a game without a currency");
    economy.currency("bao").await;
    assert!(seen.is_raised().await);
    economy.owned_by(&[ACCOUNT]).await;
    assert!(!seen.is_raised().await, "owners");
    for (title, published) in [("Bao la kiswahili", true), ("Bao la kiswahili", false)] {
        for raised in [true, false] {
            let mut connection = economy.pool.acquire().await.unwrap();
            let bao = games::Row { title: title.to_owned(), ..Economy::game_row("bao", published) };
            games::upsert(&mut connection, Uuid::nil(), vec![bao]).await.unwrap();
            assert_eq!(seen.is_raised().await, raised, "{title} {published}");
        }
    }
    let mut connection = economy.pool.acquire().await.unwrap();
    for raised in [true, false] {
        games::sweep(&mut connection, Uuid::max()).await.unwrap();
        assert_eq!(seen.is_raised().await, raised, "a game that listings-svc lacks");
    }
}

#[testing::database_test(economy::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "statements of a test")]
async fn a_report_that_counts_waits_for_no_other_game_and_not_for_the_feed(pool: PgPool) {
    let economy = start(pool.clone()).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    let mut seen = Seen::new(&economy).await;
    // Whatever the transactions of other games, of swaps and of the follower may hold.
    let mut others = kit::pg::begin(&pool).await.unwrap();
    for lock in [
        "select from economy.feed_head for update",
        "select from economy.game_and_swap_changes for update",
        "select from economy.currency where name = 'KORA' for update",
    ] {
        sqlx::raw_sql(lock).execute(&mut *others).await.unwrap();
    }
    assert!(economy.report("bao", &report(10)).await.unwrap().counted);
    assert!(seen.is_raised().await);
    others.rollback().await.unwrap();
}
