//! Taking a page down races with submitting or importing a game under it: one of the two waits for the other.
//!
//! Each command is applied in an open transaction of its own, as the writers of two replicas do. It is rolled back explicitly: a transaction
//! that is dropped holds its locks until its connection is used again.

use std::sync::Arc;

use kit::feed::{Apply as _, ApplyError, NewChange};
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
use listings::feed::PublicUrl;
use listings::write::import::{Chunk, Header, ParsedRow, Rows};
use listings::write::moderate::Moderation;
use listings::write::pictures::PictureEdit;
use listings::write::reference_data_cache::ReferenceDataCache;
use listings::write::staff_edit::{EditOperation, StaffEdit};
use listings::write::submission::{Author, Submission, Target};
use listings::write::{Command, CommandDependencies, CommandHandler, Outcome};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::submissions::{ADA, set_state, start_with_pages};
use crate::support::{File, MAX_PENDING, NOW, Service};

fn submit(target: Target, body: &Value) -> Command {
    Command::Submit(Box::new(Submission {
        author: Author {
            account: ADA,
            mode: Mode::Live,
            writes_per_day: None,
        },
        target,
        body: body.as_object().unwrap().clone(),
        idempotency_key: None,
        precondition: None,
    }))
}

/// Submissions of a game under the page `studio`, where `a-game` was rejected.
fn submissions() -> [Command; 3] {
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

fn moderate(listing: ListingName, transition: Transition) -> Command {
    Command::Moderate(Box::new(Moderation {
        listing,
        transition,
        reason: String::new(),
        revision: None,
        by: Member::operator(),
    }))
}

fn take_down() -> Command {
    moderate(live(Entity::Page, "studio"), Transition::TakeDown)
}

/// The service that has filled the database, and the commands as another replica applies them.
async fn listings(pool: &PgPool) -> (Service, CommandHandler) {
    let service = start_with_pages(pool.clone()).await;
    let games = [("a-game", "studio"), ("elsewhere", "second")].map(
        |(slug, page)| json!({"slug": slug, "title": slug, "release_year": 2020, "creator": page}),
    );
    service.import(&File::rows("game", &games)).await;
    set_state(&service, "a-game", "rejected").await;
    let dependencies = CommandDependencies {
        public_url: PublicUrl::new("https://mchezo.example"),
        max_pending: MAX_PENDING,
        reference_data: ReferenceDataCache::default(),
    };
    (service, CommandHandler::new(Arc::new(dependencies)))
}

#[testing::database_test(listings::MIGRATOR)]
async fn nothing_is_submitted_under_a_page_whose_removal_is_not_committed(pool: PgPool) {
    let (_service, handler) = listings(&pool).await;
    let mut removal = pool.begin().await.unwrap();
    let removed = handler.apply(&mut removal, &take_down(), NOW).await;
    assert!(removed.is_ok(), "{removed:?}");
    for submission in submissions() {
        let mut open = pool.begin().await.unwrap();
        let meanwhile = handler.apply(&mut open, &submission, NOW).await;
        assert!(matches!(meanwhile, Err(ApplyError::Busy)), "{meanwhile:?}");
        open.rollback().await.unwrap();
    }
    removal.commit().await.unwrap();
    for submission in submissions() {
        let mut open = pool.begin().await.unwrap();
        let after = handler.apply(&mut open, &submission, NOW).await;
        let Err(ApplyError::Rejected(fault)) = after else {
            panic!("{after:?}");
        };
        assert!(fault.message.contains("taken down"), "{fault}");
        open.rollback().await.unwrap();
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_page_is_not_taken_down_before_submissions_under_it_are_committed(pool: PgPool) {
    let (_service, handler) = listings(&pool).await;
    for submission in submissions() {
        let mut open = pool.begin().await.unwrap();
        let sent = handler.apply(&mut open, &submission, NOW).await;
        assert!(matches!(sent, Ok((Outcome::Submitted(_), _))), "{sent:?}");
        let mut removal = pool.begin().await.unwrap();
        let meanwhile = handler.apply(&mut removal, &take_down(), NOW).await;
        assert!(matches!(meanwhile, Err(ApplyError::Busy)), "{meanwhile:?}");
        for dropped in [open, removal] {
            dropped.rollback().await.unwrap();
        }
    }
}

/// An import of the game `imported` under the page `studio`, as its first chunk.
async fn import(pool: &PgPool) -> Command {
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
    Command::Import(Box::new(Chunk {
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
    }))
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_is_not_imported_under_a_page_whose_removal_is_not_committed(pool: PgPool) {
    let (_service, handler) = listings(&pool).await;
    let import = import(&pool).await;
    let mut removal = pool.begin().await.unwrap();
    let removed = handler.apply(&mut removal, &take_down(), NOW).await;
    assert!(removed.is_ok(), "{removed:?}");
    let mut open = pool.begin().await.unwrap();
    let meanwhile = handler.apply(&mut open, &import, NOW).await;
    assert!(matches!(meanwhile, Err(ApplyError::Busy)), "{meanwhile:?}");
    open.rollback().await.unwrap();
    removal.commit().await.unwrap();
    let mut open = pool.begin().await.unwrap();
    handler.apply(&mut open, &import, NOW).await.unwrap();
    let is_hidden =
        sqlx::query_scalar!("select hidden_by_page from listings.game where slug = 'imported'");
    assert!(is_hidden.fetch_one(&mut *open).await.unwrap());
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_page_is_not_taken_down_before_an_import_under_it_is_committed(pool: PgPool) {
    let (_service, handler) = listings(&pool).await;
    let import = import(&pool).await;
    let mut open = pool.begin().await.unwrap();
    handler.apply(&mut open, &import, NOW).await.unwrap();
    let mut removal = pool.begin().await.unwrap();
    let meanwhile = handler.apply(&mut removal, &take_down(), NOW).await;
    assert!(matches!(meanwhile, Err(ApplyError::Busy)), "{meanwhile:?}");
    removal.rollback().await.unwrap();
    open.commit().await.unwrap();
    let mut removal = pool.begin().await.unwrap();
    handler
        .apply(&mut removal, &take_down(), NOW)
        .await
        .unwrap();
    let is_hidden =
        sqlx::query_scalar!("select hidden_by_page from listings.game where slug = 'imported'");
    assert!(is_hidden.fetch_one(&mut *removal).await.unwrap());
}

#[testing::database_test(listings::MIGRATOR)]
async fn staff_who_edit_a_game_that_has_yet_to_follow_its_page_hide_it(pool: PgPool) {
    let (_service, handler) = listings(&pool).await;
    let mut removal = pool.begin().await.unwrap();
    handler
        .apply(&mut removal, &take_down(), NOW)
        .await
        .unwrap();
    removal.commit().await.unwrap();
    // A page with many games takes the first of them along; this one is among the others.
    sqlx::query!(
        "update listings.game set state = 'published', hidden_by_page = false where slug = 'a-game'"
    )
    .execute(&pool)
    .await
    .unwrap();
    let title = json!({"title": "Edited"});
    let edit = Command::StaffEdit(Box::new(StaffEdit {
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
    }));
    let mut open = pool.begin().await.unwrap();
    let (_, changes) = handler.apply(&mut open, &edit, NOW).await.unwrap();
    let announced: Vec<bool> = changes.iter().map(|change| change.announced).collect();
    assert_eq!(announced, [false]);
    let game =
        sqlx::query!("select title, hidden_by_page from listings.game where slug = 'a-game'");
    let game = game.fetch_one(&mut *open).await.unwrap();
    assert_eq!((game.title.as_str(), game.hidden_by_page), ("Edited", true));
}

#[testing::database_test(listings::MIGRATOR)]
async fn staff_do_not_publish_a_game_that_has_yet_to_follow_its_page(pool: PgPool) {
    let (_service, handler) = listings(&pool).await;
    let mut removal = pool.begin().await.unwrap();
    handler
        .apply(&mut removal, &take_down(), NOW)
        .await
        .unwrap();
    removal.commit().await.unwrap();
    let game = || live(Entity::Game, "a-game");
    let cover = FileName::of(&[1; 32]);
    let url = format!("https://mchezo.example{}", cover.address());
    let remove_cover = Command::EditPictures(Box::new(PictureEdit {
        listing: game(),
        purged: cover,
        reason: String::new(),
        by: Member::operator(),
    }));
    for (state, command) in [
        ("pending", moderate(game(), Transition::Approve)),
        ("removed", moderate(game(), Transition::Restore)),
        ("published", remove_cover),
    ] {
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
        let mut open = pool.begin().await.unwrap();
        let (_, changes) = handler.apply(&mut open, &command, NOW).await.unwrap();
        let says_public =
            |change: &NewChange| change.announced || change.event == "listing_published";
        assert!(!changes.iter().any(says_public), "{state}: {changes:?}");
        let game = sqlx::query!(
            "select hidden_by_page, first_published_at from listings.game where slug = 'a-game'"
        );
        let game = game.fetch_one(&mut *open).await.unwrap();
        assert!(game.hidden_by_page, "{state}");
        assert_eq!(game.first_published_at, None, "{state}");
        open.rollback().await.unwrap();
    }
}
