//! A game is visible while it and its page are published, and the feed announces only what the public sees (§3, §6).

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::{Code, Fault};
use prost::Message as _;
use proto::Decision::{Approve, Restore, TakeDown};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::review::listing_name;
use crate::submissions::{ADA, start_with_pages};
use crate::support::{File, Service, creator, decide};

/// A change of a game on the feed: its event, and whether it is announced.
type Told = (String, bool);

fn told(event: &str, announced: bool) -> Told {
    (event.to_owned(), announced)
}

struct Directory {
    service: Service,
    seen: i64,
}

impl Directory {
    /// Ada's pages `studio` and `second` are public, and her page `new` is pending.
    async fn start(pool: PgPool) -> Self {
        let service = start_with_pages(pool).await;
        let body = json!({"handle": "new", "name": "New", "kind": "studio", "country_code": "NG"});
        let request = proto::CreatePageRequest {
            account_id: ADA.to_string(),
            body: body.to_string().into(),
            ..proto::CreatePageRequest::default()
        };
        PagesServiceClient::new(service.fleet.clone()).create_page(request).await.unwrap();
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
        self.service.games.clone().create_game(request).await.unwrap();
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

    /// Edits the game as staff.
    async fn edit(&self, changes: &Value) {
        let mut review = StaffReviewServiceClient::new(self.service.operator_client.clone());
        let request = proto::EditRequest {
            name: Some(listing_name("game", "a-game")),
            changes: changes.to_string(),
            ..proto::EditRequest::default()
        };
        review.edit(request).await.unwrap();
    }

    async fn decide(&self, decision: proto::Decision, kind: &str, name: &str) {
        let name = listing_name(kind, name);
        let client = &self.service.operator_client;
        decide(client, decision, (name, None), "A reason").await.unwrap();
    }

    async fn page(&self, decision: proto::Decision, handle: &str) {
        self.decide(decision, "page", handle).await;
    }

    async fn game(&self, decision: proto::Decision) {
        self.decide(decision, "game", "a-game").await;
    }

    /// The changes of games since the last call.
    async fn news(&mut self) -> Vec<Told> {
        let changes = self.service.changes(self.seen).await;
        self.seen = self.service.head().await;
        let games = changes.into_iter().filter(|it| it.entity == "game");
        games.map(|it| (it.event, it.announced)).collect()
    }

    /// The events of the announced changes since the last call.
    async fn announced(&mut self) -> Vec<String> {
        let news = self.news().await.into_iter();
        news.filter_map(|(event, announced)| announced.then_some(event)).collect()
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
    assert_eq!(directory.news().await, [told("changed", false)]);
    directory.change(&json!({"title": "Spam"})).await.unwrap();
    assert_eq!(directory.news().await, [told("changed", false)]);
    // An edit by staff is not announced either.
    directory.edit(&json!({"tagline": "Of staff"})).await;
    assert_eq!(directory.news().await, [told("changed", false)]);
    // The game was public before, so that its return is not a publication.
    directory.page(Restore, "studio").await;
    assert_eq!(directory.news().await, [told("changed", false)]);
    directory.change(&json!({"title": "Best"})).await.unwrap();
    assert_eq!(directory.announced().await, ["updated"]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_owner_cannot_move_a_game_from_a_removed_page(pool: PgPool) {
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
    // Staff may move the game; a pending page hides it again.
    directory.edit(&json!({"creator": "second"})).await;
    assert_eq!(directory.announced().await, ["updated"]);
    directory.edit(&json!({"creator": "new"})).await;
    assert_eq!(directory.news().await, [told("changed", false)]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_that_is_approved_before_its_page_is_announced_with_its_page(pool: PgPool) {
    let mut directory = Directory::start(pool).await;
    directory.submit("new").await;
    directory.game(Approve).await;
    directory.change(&json!({"title": "Not Public"})).await.unwrap();
    assert_eq!(directory.announced().await, Vec::<String>::new());
    directory.page(Approve, "new").await;
    assert_eq!(directory.news().await, [told("published", true)]);
    directory.page(TakeDown, "new").await;
    directory.page(Restore, "new").await;
    assert_eq!(directory.announced().await, Vec::<String>::new());
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_move_to_a_public_page_is_the_first_publication(pool: PgPool) {
    let mut directory = Directory::start(pool).await;
    directory.submit("new").await;
    directory.game(Approve).await;
    directory.change(&json!({"creator": "second"})).await.unwrap();
    assert_eq!(directory.announced().await, ["published"]);
    directory.change(&json!({"creator": "new"})).await.unwrap();
    assert_eq!(directory.announced().await, Vec::<String>::new());
    directory.page(Approve, "new").await;
    assert_eq!(directory.announced().await, Vec::<String>::new());
}

#[testing::database_test(listings::MIGRATOR)]
async fn all_games_of_a_page_are_hidden_and_shown_with_it(pool: PgPool) {
    let directory = Directory::start(pool).await;
    directory.service.import(&File::rows("page", &[creator("big")])).await;
    let games = (0..1_201).map(|n| {
        json!({"slug": format!("of-many-{n}"), "title": "One of Many", "release_year": 2020, "creator": "big"})
    });
    let games: Vec<Value> = games.collect();
    directory.service.import(&File::rows("game", &games)).await;
    for (decision, is_public) in [(TakeDown, false), (Restore, true)] {
        let head = directory.service.head().await;
        directory.page(decision, "big").await;
        let changes = directory.service.changes(head).await;
        let changed: Vec<_> = changes.iter().filter(|it| it.entity == "game").collect();
        assert_eq!(changed.len(), games.len());
        for change in changed {
            let game = proto::Game::decode(&*change.state).unwrap();
            assert_eq!((game.visible, change.announced), (is_public, false));
        }
    }
}
