//! A game is visible while it and its page are published, and the feed announces what the public sees (§3, §6).

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::{Code, Fault};
use listings::jobs;
use proto::Decision::{Approve, Reject, Restore, TakeDown};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::submissions::{ADA, start_with_pages};
use crate::support::{File, Service, creator, decide};

/// A change of the game on the feed: its event, and whether it is announced.
type Told = (String, bool);

fn told(event: &str, announced: bool) -> Told {
    (event.to_owned(), announced)
}

struct Directory {
    service: Service,
    seen: i64,
}

impl Directory {
    /// The pages `studio` and `second` are public, and `new` is pending; all three are Ada's.
    async fn start(pool: PgPool) -> Self {
        let service = start_with_pages(pool).await;
        let body = json!({"handle": "new", "name": "New", "kind": "studio", "country_code": "NG"});
        let request = proto::CreatePageRequest {
            account_id: ADA.to_string(),
            body: body.to_string().into(),
            ..proto::CreatePageRequest::default()
        };
        PagesServiceClient::new(service.fleet.clone())
            .create_page(request)
            .await
            .unwrap();
        let seen = service.head().await;
        Self { service, seen }
    }

    fn writing(body: &Value) -> proto::Writing {
        proto::Writing {
            author: Some(proto::Author {
                account_id: ADA.to_string(),
                mode: common::Mode::Live.into(),
                writes_per_day: None,
            }),
            body: body.to_string().into(),
            dry_run: false,
            idempotency_key: String::new(),
        }
    }

    async fn submit(&self, page: &str) {
        let body = json!({"title": "A Game", "creator": page, "release_year": 2024});
        let writing = Some(Self::writing(&body));
        let request = proto::CreateGameRequest { writing };
        self.service
            .games
            .clone()
            .create_game(request)
            .await
            .unwrap();
    }

    async fn change(&self, body: &Value) -> Result<(), Fault> {
        let request = proto::UpdateGameRequest {
            slug: "a-game".to_owned(),
            writing: Some(Self::writing(body)),
            precondition: None,
        };
        self.service.games.clone().update_game(request).await?;
        Ok(())
    }

    async fn decide(&self, decision: proto::Decision, kind: &str, name: &str) {
        let name = proto::ListingName {
            kind: kind.to_owned(),
            mode: common::Mode::Live.into(),
            name: name.to_owned(),
        };
        let client = &self.service.operator_client;
        decide(client, decision, (name, None), "A reason")
            .await
            .unwrap();
    }

    async fn page(&self, decision: proto::Decision, handle: &str) {
        self.decide(decision, "page", handle).await;
    }

    async fn game(&self, decision: proto::Decision) {
        self.decide(decision, "game", "a-game").await;
    }

    /// The changes of games that are new on the feed.
    async fn news(&mut self) -> Vec<Told> {
        let changes = self.service.changes(self.seen).await;
        self.seen = self.service.head().await;
        let games = changes.into_iter().filter(|it| it.entity == "game");
        games.map(|it| (it.event, it.announced)).collect()
    }

    /// Only the announced ones.
    async fn announced(&mut self) -> Vec<String> {
        let news = self.news().await.into_iter();
        news.filter_map(|(event, announced)| announced.then_some(event))
            .collect()
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_change_of_a_game_under_a_removed_page_is_not_announced(pool: PgPool) {
    let mut directory = Directory::start(pool).await;
    directory.submit("studio").await;
    directory.game(Approve).await;
    assert_eq!(directory.announced().await, ["published"]);
    directory.change(&json!({"title": "Better"})).await.unwrap();
    assert_eq!(directory.announced().await, ["updated"]);
    directory.page(TakeDown, "studio").await;
    assert_eq!(directory.news().await, [told("hidden", false)]);
    directory.change(&json!({"title": "Spam"})).await.unwrap();
    assert_eq!(directory.news().await, [told("updated", false)]);
    // Staff may change it too, and nobody hears of it.
    let mut review = StaffReviewServiceClient::new(directory.service.operator_client.clone());
    let edit = proto::EditRequest {
        name: Some(proto::ListingName {
            kind: "game".to_owned(),
            mode: common::Mode::Live.into(),
            name: "a-game".to_owned(),
        }),
        changes: json!({"tagline": "Of staff"}).to_string(),
        ..proto::EditRequest::default()
    };
    review.edit(edit).await.unwrap();
    assert_eq!(directory.news().await, [told("updated", false)]);
    // It was public before, so its return is no first publication.
    directory.page(Restore, "studio").await;
    assert_eq!(directory.news().await, [told("shown", false)]);
    directory.change(&json!({"title": "Best"})).await.unwrap();
    assert_eq!(directory.announced().await, ["updated"]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_that_was_taken_down_with_its_page_does_not_return_by_a_move(pool: PgPool) {
    let mut directory = Directory::start(pool).await;
    directory.submit("studio").await;
    directory.game(Approve).await;
    directory.page(TakeDown, "studio").await;
    directory.news().await;
    let refused = directory.change(&json!({"creator": "second"})).await;
    let fault = refused.unwrap_err();
    assert_eq!(fault.code, Code::NotYours);
    assert!(fault.message.contains("`studio` was taken down"), "{fault}");
    assert_eq!(directory.news().await, []);
    // Staff may move it.
    let mut review = StaffReviewServiceClient::new(directory.service.operator_client.clone());
    let moved = proto::ReassignRequest {
        name: Some(proto::ListingName {
            kind: "game".to_owned(),
            mode: common::Mode::Live.into(),
            name: "a-game".to_owned(),
        }),
        to: "second".to_owned(),
        ..proto::ReassignRequest::default()
    };
    review.reassign(moved).await.unwrap();
    assert_eq!(directory.announced().await, ["updated"]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_that_is_approved_before_its_page_is_announced_with_its_page(pool: PgPool) {
    let mut directory = Directory::start(pool).await;
    directory.submit("new").await;
    directory.game(Approve).await;
    directory
        .change(&json!({"title": "Not Public"}))
        .await
        .unwrap();
    assert_eq!(directory.announced().await, Vec::<String>::new());
    directory.page(Approve, "new").await;
    assert_eq!(directory.news().await, [told("published", true)]);
    directory.page(TakeDown, "new").await;
    directory.page(Restore, "new").await;
    assert_eq!(directory.announced().await, Vec::<String>::new());
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_is_announced_once_however_it_becomes_visible(pool: PgPool) {
    // By its restore.
    let mut directory = Directory::start(pool).await;
    directory.submit("new").await;
    directory.game(Approve).await;
    directory.game(TakeDown).await;
    directory.page(Approve, "new").await;
    assert_eq!(directory.announced().await, Vec::<String>::new());
    directory.game(Restore).await;
    assert_eq!(directory.announced().await, ["published"]);
    directory.game(TakeDown).await;
    directory.game(Restore).await;
    assert_eq!(directory.announced().await, Vec::<String>::new());
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_move_to_a_public_page_is_the_first_publication(pool: PgPool) {
    let mut directory = Directory::start(pool).await;
    directory.submit("new").await;
    directory.game(Approve).await;
    directory
        .change(&json!({"creator": "second"}))
        .await
        .unwrap();
    assert_eq!(directory.announced().await, ["published"]);
    directory.change(&json!({"creator": "new"})).await.unwrap();
    assert_eq!(directory.announced().await, Vec::<String>::new());
    directory.page(Approve, "new").await;
    assert_eq!(directory.announced().await, Vec::<String>::new());
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_imported_game_is_hidden_with_its_page_and_never_announced_by_it(pool: PgPool) {
    let mut directory = Directory::start(pool).await;
    let game = json!({"slug": "a-game", "title": "A Game", "release_year": 2020, "creator": "new"});
    directory.service.import(&File::rows("game", &[game])).await;
    directory.page(Reject, "new").await;
    assert_eq!(directory.announced().await, Vec::<String>::new());
    let studio =
        json!({"slug": "a-game", "title": "A Game", "release_year": 2020, "creator": "studio"});
    directory
        .service
        .import(&File::rows("game", &[studio]))
        .await;
    directory.page(TakeDown, "studio").await;
    assert_eq!(
        directory.news().await,
        [told("updated", false), told("hidden", false)]
    );
}

/// More games than one transaction hides.
#[testing::database_test(listings::MIGRATOR)]
async fn a_page_of_many_games_is_taken_down_with_all_of_them(pool: PgPool) {
    let mut directory = Directory::start(pool).await;
    directory
        .service
        .import(&File::rows("page", &[creator("big")]))
        .await;
    let games = (0..1_201).map(|n| {
        json!({"slug": format!("of-many-{n}"), "title": "One of Many", "release_year": 2020, "creator": "big"})
    });
    let games: Vec<Value> = games.collect();
    directory.service.import(&File::rows("game", &games)).await;
    directory.news().await;
    for (decision, event) in [(TakeDown, "hidden"), (Restore, "shown")] {
        directory.page(decision, "big").await;
        let news = directory.news().await;
        assert_eq!(news.len(), games.len());
        assert!(news.iter().all(|it| *it == told(event, false)));
    }
}

/// An older version changes a page and leaves its games as they were; so does a process that stops between two batches.
#[testing::database_test(listings::MIGRATOR)]
async fn games_that_do_not_follow_their_page_are_found(pool: PgPool) {
    let mut directory = Directory::start(pool.clone()).await;
    directory.submit("studio").await;
    directory.game(Approve).await;
    directory.news().await;
    let writer = directory.service.importer.writer().clone();
    let follow = async || jobs::follow_pages::run(&pool, &writer).await.unwrap();
    assert_eq!(follow().await, 0);
    for (state, event) in [("removed", "hidden"), ("published", "shown")] {
        sqlx::query!(
            "update listings.page set state = $1 where handle = 'studio'",
            state
        )
        .execute(&pool)
        .await
        .unwrap();
        assert_eq!(follow().await, 1);
        assert_eq!(directory.news().await, [told(event, false)]);
        assert_eq!(follow().await, 0);
    }
}

/// The games of a page follow it in several transactions, or later, when the process stops between them.
#[testing::database_test(listings::MIGRATOR)]
async fn a_change_of_a_game_that_has_yet_to_follow_its_removed_page_is_not_announced(pool: PgPool) {
    let mut directory = Directory::start(pool.clone()).await;
    directory.submit("studio").await;
    directory.game(Approve).await;
    directory.news().await;
    let page = async |state: &str| {
        sqlx::query!(
            "update listings.page set state = $1 where handle = 'studio'",
            state
        )
        .execute(&pool)
        .await
        .unwrap();
    };
    page("removed").await;
    directory.change(&json!({"title": "Spam"})).await.unwrap();
    assert_eq!(directory.news().await, [told("updated", false)]);
    let writer = directory.service.importer.writer().clone();
    assert_eq!(jobs::follow_pages::run(&pool, &writer).await.unwrap(), 0);
    // It returns with its page.
    page("published").await;
    assert_eq!(jobs::follow_pages::run(&pool, &writer).await.unwrap(), 1);
    assert_eq!(directory.news().await, [told("shown", false)]);
}

/// The columns of before get what a version that knows visibility would have stored.
#[testing::database_test]
#[expect(clippy::disallowed_methods, reason = "the tables of an older version")]
async fn the_migration_hides_games_and_forgets_publications_that_nobody_saw(pool: PgPool) {
    let (before, after): (Vec<_>, Vec<_>) =
        (listings::MIGRATOR.iter()).partition(|migration| migration.version < 17);
    // A new database may have the present tables.
    sqlx::raw_sql("drop schema if exists listings cascade; create schema listings")
        .execute(&pool)
        .await
        .unwrap();
    for migration in before {
        sqlx::raw_sql(migration.sql.clone())
            .execute(&pool)
            .await
            .unwrap();
    }
    let rows = "
        insert into listings.country (code, name, revision) values ('NG', 'Nigeria', 1);
        insert into listings.page (id, mode, state, revision, handle, name, kind, roles, tagline, bio, country_code, city, city_slug,
            verified, links, source, created_at, updated_at, first_published_at, waiting_since)
        select lpad(n::text, 32, '0')::uuid, 'live', state, 1, 'page-' || n, 'Page', 'studio', '{}', '', '', 'NG', '', '',
            false, '{}', '', '2026-01-01', '2026-01-01', seen, case state when 'pending' then '2026-01-01'::timestamptz end
        from (values (1, 'published', '2026-01-01'::timestamptz), (2, 'removed', '2026-01-01'), (3, 'pending', null)) as page (n, state, seen);
        insert into listings.game (id, mode, state, revision, slug, title, tagline, description, screenshots, genres, platforms, stage,
            release_year, links, credits, featured, page_id, source, created_at, updated_at, first_published_at)
        select lpad(n::text, 32, '1')::uuid, 'live', 'published', 1, slug, 'Game', '', '', '[]', '{}', '{}', 'released', 2020, '{}', '[]',
            false, lpad(page::text, 32, '0')::uuid, '', '2026-01-01', '2026-01-01', '2026-01-02'
        from (values (1, 'shown', 1), (2, 'taken-down', 2), (3, 'never-seen', 3), (4, 'moved-away', 3)) as game (n, slug, page);
        insert into listings.revision (entity, id, revision, at, actor_kind, actor, before, after)
        values ('game', lpad('4', 32, '1')::uuid, 2, '2026-01-03', 'account', 'x',
            jsonb_build_object('state', 'published', 'page_id', lpad('1', 32, '0')::uuid), '{\"state\": \"published\"}')";
    sqlx::raw_sql(rows).execute(&pool).await.unwrap();
    for migration in after {
        sqlx::raw_sql(migration.sql.clone())
            .execute(&pool)
            .await
            .unwrap();
    }
    let games: Vec<(String, bool, bool)> = sqlx::query_as(
        "select slug, hidden_by_page, first_published_at is not null from listings.game order by slug",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let game = |slug: &str, hidden, seen| (slug.to_owned(), hidden, seen);
    assert_eq!(
        games,
        [
            game("moved-away", true, true),
            game("never-seen", true, false),
            game("shown", false, true),
            game("taken-down", true, true),
        ]
    );
}
