//! Taking a page down races with submitting or importing a game under it: one of the two waits for the other.

use std::sync::Arc;

use kit::Fault;
use kit::rpc::staff::Member;
use listings::domain::audit_action::AuditAction;
use listings::domain::entity::Entity;
use listings::domain::game::Game;
use listings::domain::listing::RowContent;
use listings::domain::listing_name::ListingName;
use listings::domain::mode::Mode;
use listings::domain::pictures::FileName;
use listings::domain::read_import_row;
use listings::domain::reference_data::ReferenceData;
use listings::domain::state::Transition;
use listings::write::import::{self, Chunk, Header, ParsedRow, Rows};
use listings::write::moderate::{self, Moderation};
use listings::write::pictures::{self, PictureEdit};
use listings::write::staff_edit::{self, EditOperation, StaffEdit};
use listings::write::submission::{self, Author, Submission, Target};
use serde_json::{Value, json};
use sqlx::{PgPool, Postgres, Transaction};
use uuid::Uuid;

use crate::submissions::{ADA, set_state, start_with_pages};
use crate::support::{File, NOW, Service, while_open};

fn submit(target: Target, body: &Value) -> Submission {
    Submission {
        author: Author {
            account: ADA,
            mode: Mode::Live,
            writes_per_day: None,
        },
        target,
        body: body.as_object().unwrap().clone(),
        idempotency_key: None,
        precondition: None,
    }
}

/// Submissions of a game under the page `studio`, where `a-game` was rejected.
fn submissions() -> [Submission; 3] {
    let game = json!({"title": "Another", "release_year": 2024, "creator": "studio"});
    let rejected = || Target::Game("a-game".to_owned());
    let moved = Target::Game("elsewhere".to_owned());
    [
        submit(Target::NewGame, &game),
        submit(rejected(), &json!({"title": "Better"})),
        submit(moved, &json!({"creator": "studio"})),
    ]
}

fn live(entity: Entity, name: &str) -> ListingName {
    ListingName {
        entity,
        mode: Mode::Live,
        key: name.to_owned(),
    }
}

async fn moderate(
    service: &Service,
    listing: ListingName,
    transition: Transition,
) -> Result<(), Fault> {
    let moderation = Moderation {
        listing,
        transition,
        reason: String::new(),
        revision: None,
        by: Member::operator(),
    };
    moderate::apply(&service.commands, &moderation).await?;
    Ok(())
}

async fn take_down(service: &Service) {
    let page = live(Entity::Page, "studio");
    moderate(service, page, Transition::TakeDown).await.unwrap();
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
        "update listings.page set state = 'removed' where handle = 'studio' and mode = 'live'"
    )
    .execute(&mut *removal)
    .await
    .unwrap();
    removal
}

#[testing::database_test(listings::MIGRATOR)]
async fn nothing_is_submitted_under_a_page_whose_removal_is_not_committed(pool: PgPool) {
    let service = listings(&pool).await;
    for submission in submissions() {
        let removal = open_removal(&pool).await;
        let submitting = submission::apply::apply(&service.commands, &submission);
        let fault = Box::pin(while_open(&pool, removal, submitting))
            .await
            .unwrap_err();
        assert!(fault.message.contains("taken down"), "{fault}");
        sqlx::query!("update listings.page set state = 'published' where handle = 'studio'")
            .execute(&pool)
            .await
            .unwrap();
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_page_is_not_taken_down_before_submissions_under_it_are_committed(pool: PgPool) {
    let service = listings(&pool).await;
    // As a submission locks its page.
    let mut submission = pool.begin().await.unwrap();
    sqlx::query!("select from listings.page where handle = 'studio' and mode = 'live' for share")
        .execute(&mut *submission)
        .await
        .unwrap();
    Box::pin(while_open(&pool, submission, take_down(&service))).await;
}

/// An import of the game `imported` under the page `studio`, as its first chunk.
async fn import(pool: &PgPool) -> Chunk {
    let page = sqlx::query_scalar!(
        "select id from listings.page where handle = 'studio' and mode = 'live'"
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
        rows: Rows::Games(vec![ParsedRow {
            line: 1,
            parsed: read_import_row::<RowContent<Game>>(row, &reference).unwrap(),
        }]),
        refused: Vec::new(),
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_that_is_imported_under_a_page_whose_removal_is_not_committed_is_hidden(
    pool: PgPool,
) {
    let service = listings(&pool).await;
    let chunk = import(&pool).await;
    let removal = open_removal(&pool).await;
    let importing = import::apply::apply(&service.commands, &chunk);
    Box::pin(while_open(&pool, removal, importing))
        .await
        .unwrap();
    let is_hidden =
        sqlx::query_scalar!("select hidden_by_page from listings.game where slug = 'imported'");
    assert!(is_hidden.fetch_one(&pool).await.unwrap());
}

#[testing::database_test(listings::MIGRATOR)]
async fn staff_who_edit_a_game_that_has_yet_to_follow_its_page_hide_it(pool: PgPool) {
    let service = listings(&pool).await;
    take_down(&service).await;
    // A page with many games takes the first of them along; this one is among the others.
    sqlx::query!(
        "update listings.game set state = 'published', hidden_by_page = false where slug = 'a-game'"
    )
    .execute(&pool)
    .await
    .unwrap();
    let title = json!({"title": "Edited"});
    let edit = StaffEdit {
        listing: live(Entity::Game, "a-game"),
        operation: EditOperation::SetFields(
            title.as_object().unwrap().clone(),
            Box::new(ReferenceData {
                year: 2026,
                ..ReferenceData::default()
            }),
            AuditAction::Edit,
        ),
        reason: String::new(),
        revision: None,
        by: Member::operator(),
    };
    let seq = service.head().await;
    staff_edit::apply(&service.commands, &edit).await.unwrap();
    let changes = service.changes(seq).await;
    let announced: Vec<bool> = changes.iter().map(|change| change.announced).collect();
    assert_eq!(announced, [false]);
    let game =
        sqlx::query!("select title, hidden_by_page from listings.game where slug = 'a-game'");
    let game = game.fetch_one(&pool).await.unwrap();
    assert_eq!((game.title.as_str(), game.hidden_by_page), ("Edited", true));
}

#[testing::database_test(listings::MIGRATOR)]
async fn staff_do_not_publish_a_game_that_has_yet_to_follow_its_page(pool: PgPool) {
    let service = listings(&pool).await;
    take_down(&service).await;
    let game = || live(Entity::Game, "a-game");
    let cover = FileName::of(&[1; 32]);
    let url = format!("https://mchezo.example{}", cover.address());
    let remove_cover = PictureEdit {
        listing: game(),
        purged: cover,
        reason: String::new(),
        by: Member::operator(),
    };
    for state in ["pending", "removed", "published"] {
        sqlx::query!(
            "update listings.game set state = $1, submitter = $2, waiting_since = case when $1 = 'pending' then $3::timestamptz end,
                 first_published_at = null, hidden_by_page = false, cover_url = $4
             where slug = 'a-game'",
            state,
            ADA,
            NOW,
            url
        )
        .execute(&pool)
        .await
        .unwrap();
        let seq = service.head().await;
        let done = match state {
            "pending" => moderate(&service, game(), Transition::Approve).await,
            "removed" => moderate(&service, game(), Transition::Restore).await,
            _ => pictures::apply(&service.commands, &remove_cover).await,
        };
        done.unwrap();
        let changes = service.all_changes(seq).await;
        assert!(!changes.is_empty(), "{state}");
        let says_public = changes
            .iter()
            .any(|change| change.announced || change.event == "listing_published");
        assert!(!says_public, "{state}: {changes:?}");
        let game = sqlx::query!(
            "select hidden_by_page, first_published_at from listings.game where slug = 'a-game'"
        );
        let game = game.fetch_one(&pool).await.unwrap();
        assert!(game.hidden_by_page, "{state}");
        assert_eq!(game.first_published_at, None, "{state}");
    }
}
