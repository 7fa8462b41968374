//! A takedown of a page races with a submission or an import of a game under it: one must wait for the other.

use std::sync::Arc;

use kit::rpc::staff::Member;
use listings::domain::entity::Entity;
use listings::domain::fields::read_row;
use listings::domain::listing_name::ListingName;
use listings::domain::mode::Mode;
use listings::domain::reference_data::ReferenceData;
use listings::domain::state::Transition;
use listings::write::import::{self, Chunk, Header, ParsedRow};
use listings::write::moderate::{self, Moderation};
use listings::write::pictures::PictureOperation;
use listings::write::submission::{self, Author, Submission, Target};
use serde_json::{Value, json};
use sqlx::{PgPool, Postgres, Transaction};
use uuid::Uuid;

use crate::submissions::{ADA, set_state, start_with_pages};
use crate::support::{File, Service, while_open, while_waiting};

fn submit(target: Target, body: &Value) -> Submission {
    Submission {
        author: Author { account: ADA, mode: Mode::Live, writes_per_day: None },
        target,
        body: body.as_object().unwrap().clone(),
        idempotency_key: None,
        precondition: None,
    }
}

/// Submissions of a game under the page `studio`: a new one, a rejected one again, and one that moves there.
fn submissions() -> [Submission; 3] {
    let game = json!({"title": "Another", "release_year": 2024, "creator": "studio"});
    let rejected = || Target::Change(Entity::Game, "a-game".to_owned());
    let moved = Target::Change(Entity::Game, "elsewhere".to_owned());
    [
        submit(Target::New(Entity::Game), &game),
        submit(rejected(), &json!({"title": "Better"})),
        submit(moved, &json!({"creator": "studio"})),
    ]
}

async fn take_down(service: &Service) {
    let moderation = Moderation {
        listing: ListingName { entity: Entity::Page, mode: Mode::Live, key: "studio".to_owned() },
        transition: Transition::TakeDown,
        reason: String::new(),
        revision: None,
        by: Member::operator(),
    };
    moderate::apply(&service.commands, &moderation).await.unwrap();
}

async fn listings(pool: &PgPool) -> Service {
    let service = start_with_pages(pool.clone()).await;
    let games = [("a-game", "studio"), ("elsewhere", "second")].map(
        |(slug, page)| json!({"slug": slug, "title": slug, "release_year": 2020, "creator": page}),
    );
    service.import(&File::rows("game", &games)).await;
    set_state(&service, "a-game", "rejected").await;
    service
}

/// A takedown of the page `studio` that is not committed yet.
async fn open_removal(pool: &PgPool) -> Transaction<'static, Postgres> {
    let mut removal = pool.begin().await.unwrap();
    sqlx::query!(
        "update listings.listing set state = 'removed' where name = 'studio' and mode = 'live'"
    )
    .execute(&mut *removal)
    .await
    .unwrap();
    removal
}

/// Ends a takedown, which locks the games after their page: a submission that waits for the page has locked no game.
async fn finish(mut removal: Transaction<'static, Postgres>) {
    sqlx::query!("select from listings.listing where entity = 'game' for no key update nowait")
        .execute(&mut *removal)
        .await
        .unwrap();
    removal.commit().await.unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_submission_waits_for_an_uncommitted_removal_of_its_page(pool: PgPool) {
    let service = listings(&pool).await;
    for submission in submissions() {
        let removal = open_removal(&pool).await;
        let submitting = submission::apply::apply(&service.commands, &submission);
        let fault = Box::pin(while_waiting(&pool, finish(removal), submitting)).await.unwrap_err();
        assert!(fault.message.contains("taken down"), "{fault}");
        sqlx::query!("update listings.listing set state = 'published' where name = 'studio'")
            .execute(&pool)
            .await
            .unwrap();
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_takedown_waits_for_uncommitted_submissions_under_the_page(pool: PgPool) {
    let service = listings(&pool).await;
    // A submission locks its page like this.
    let mut submission = pool.begin().await.unwrap();
    sqlx::query!("select from listings.listing where name = 'studio' and mode = 'live' for share")
        .execute(&mut *submission)
        .await
        .unwrap();
    Box::pin(while_open(&pool, submission, take_down(&service))).await;
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_change_of_a_game_that_moves_meanwhile_begins_again(pool: PgPool) {
    let service = listings(&pool).await;
    let game = || Target::Change(Entity::Game, "elsewhere".to_owned());
    let pictures = Target::Pictures(
        Entity::Game,
        "elsewhere".to_owned(),
        PictureOperation::RemoveScreenshot("https://a.example/1.png".to_owned()),
    );
    let changes = [submit(game(), &json!({"tagline": "New"})), submit(pictures, &json!({}))];
    for (change, (from, to)) in changes.iter().zip([("second", "studio"), ("studio", "second")]) {
        // The change waits for the page that it found the game under; by then the game has moved.
        let moving = open_move(&pool, from, to).await;
        let changing = submission::apply::apply(&service.commands, change);
        Box::pin(while_waiting(&pool, finish_move(moving), changing)).await.unwrap();
    }
    let tagline = "select content ->> 'tagline' from listings.listing where name = 'elsewhere'";
    let tagline: String = sqlx::query_scalar(tagline).fetch_one(&pool).await.unwrap();
    assert_eq!(tagline, "New");
    // A write that begins again counts once.
    let writes = sqlx::query_scalar!("select writes from listings.account where id = $1", ADA);
    assert_eq!(writes.fetch_one(&pool).await.unwrap(), 1);
}

/// A move of the game `elsewhere` that is not committed yet. Its former page is locked, for which a
/// change of the game waits.
async fn open_move(pool: &PgPool, from: &str, to: &str) -> Transaction<'static, Postgres> {
    let mut moving = pool.begin().await.unwrap();
    sqlx::query!("select from listings.listing where name = $1 and mode = 'live' for update", from)
        .execute(&mut *moving)
        .await
        .unwrap();
    sqlx::query!(
        "update listings.listing set content = content || jsonb_build_object(
             'page_id', (select id from listings.listing where name = $1 and mode = 'live')
         )
         where name = 'elsewhere'",
        to
    )
    .execute(&mut *moving)
    .await
    .unwrap();
    moving
}

/// Ends a move. The change that waits has not locked the page that the game moves to.
async fn finish_move(mut moving: Transaction<'static, Postgres>) {
    sqlx::query!("select from listings.listing where entity = 'page' for update nowait")
        .execute(&mut *moving)
        .await
        .unwrap();
    moving.commit().await.unwrap();
}

/// An import of the game `imported` under the page `studio`, read before the removal.
async fn import(pool: &PgPool) -> Chunk {
    let page = sqlx::query_scalar!(
        "select id from listings.listing where name = 'studio' and mode = 'live'"
    )
    .fetch_one(pool)
    .await
    .unwrap();
    let row =
        json!({"slug": "imported", "title": "Imported", "release_year": 2020, "creator": "studio"});
    let reference = ReferenceData {
        year: 2026,
        creators: [("studio".to_owned(), page)].into(),
        ..ReferenceData::default()
    };
    let row = row.as_object().unwrap();
    Chunk {
        header: Arc::new(Header {
            entity: Entity::Game,
            mode: Mode::Live,
            file_name: "games.ndjson".to_owned(),
            by: None,
        }),
        audit_id: Uuid::nil(),
        rows: vec![ParsedRow { line: 1, parsed: read_row(Entity::Game, row, &reference).unwrap() }],
        refused: Vec::new(),
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_import_waits_for_an_uncommitted_removal_and_is_hidden(pool: PgPool) {
    let service = listings(&pool).await;
    let chunk = import(&pool).await;
    let removal = open_removal(&pool).await;
    let importing = import::apply::apply(&service.commands, &chunk);
    Box::pin(while_open(&pool, removal, importing)).await.unwrap();
    let is_hidden =
        sqlx::query_scalar!("select hidden_by_page from listings.listing where name = 'imported'");
    assert!(is_hidden.fetch_one(&pool).await.unwrap());
}
