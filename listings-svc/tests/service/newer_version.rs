//! Rows that a newer version of the service wrote, as during a rollout or after a rollback.

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::State::{Published, Unspecified};
use contracts::listings::v1::own_pictures_service_client::OwnPicturesServiceClient;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::review::listing_name;
use crate::support::{File, Service, creator, decide, start};

async fn decide_on(service: &Service, decision: proto::Decision, kind: &str, name: &str) {
    let on = (listing_name(kind, name), None);
    let decided = decide(&service.operator_client, decision, on, "A test.").await;
    decided.unwrap();
}

async fn start_with_games(pool: PgPool, games: &[&str]) -> Service {
    let service = start(pool).await;
    let pages = [creator("studio"), creator("other")];
    service.import(&File::rows("page", &pages)).await;
    let accounts = service.accounts().await;
    for game in games {
        accounts.game(game).await;
        decide_on(&service, proto::Decision::Approve, "game", game).await;
    }
    service
}

/// A field of the listing, and a field inside of one that no change names.
#[testing::database_test(listings::MIGRATOR)]
async fn a_field_that_this_version_does_not_know_stays(pool: PgPool) {
    let service = start_with_games(pool.clone(), &["one"]).await;
    let newer = json!({
        "rating": "12",
        "credits": [{"handle": null, "name": "Ada", "role": "", "share": 5}],
    });
    sqlx::query!("update listings.listing set content = content || $1 where name = 'one'", newer)
        .execute(&pool)
        .await
        .unwrap();
    let check = async |tagline: &str| {
        let stored: Value =
            sqlx::query_scalar!("select content from listings.listing where name = 'one'")
                .fetch_one(&pool)
                .await
                .unwrap();
        assert_eq!(stored["tagline"], tagline);
        assert_eq!(stored["rating"], "12", "{tagline}");
        assert_eq!(stored["credits"], newer["credits"], "{tagline}");
    };
    let tagline = json!({"tagline": "By its account"});
    let accounts = service.accounts().await;
    let writing = Some(crate::accounts::writing(accounts.account, &tagline));
    let request = proto::UpdateGameRequest { slug: "one".to_owned(), writing, precondition: None };
    service.games.clone().update_game(request).await.unwrap();
    check("By its account").await;
    for decision in [proto::Decision::TakeDown, proto::Decision::Restore] {
        decide_on(&service, decision, "page", "studio").await;
        check("By its account").await;
    }
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    let request = proto::EditRequest {
        name: Some(listing_name("game", "one")),
        changes: json!({"tagline": "By staff"}).to_string(),
        ..proto::EditRequest::default()
    };
    review.edit(request).await.unwrap();
    check("By staff").await;
    let request = proto::RevertRequest {
        name: Some(listing_name("game", "one")),
        to_revision: 3,
        ..proto::RevertRequest::default()
    };
    review.revert(request).await.unwrap();
    check("By its account").await;
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_state_that_this_version_does_not_know_fails_no_list(pool: PgPool) {
    let service = start_with_games(pool.clone(), &["one", "two"]).await;
    let account_id = service.accounts().await.account.to_string();
    let mut pages = PagesServiceClient::new(service.fleet.clone());
    for handle in ["other", "studio"] {
        let request = proto::ClaimPageRequest {
            account_id: account_id.clone(),
            handle: handle.to_owned(),
            evidence: "A link".to_owned(),
        };
        // The account owns `studio` already.
        let claimed = pages.claim_page(request).await;
        assert_eq!(claimed.is_ok(), handle == "other");
    }
    sqlx::raw_sql(
        "alter table listings.listing drop constraint listing_state;
         update listings.listing set state = 'archived' where name in ('two', 'studio');
         alter table listings.claim drop constraint claim_state;
         update listings.claim set state = 'escalated', decided_at = made_at;",
    )
    .execute(&pool)
    .await
    .unwrap();
    let request = proto::ListOwnListingsRequest {
        account_id: account_id.clone(),
        mode: common::Mode::Live.into(),
        page: None,
    };
    let listed = service.own.clone().list_own_listings(request).await;
    let listed: Vec<contracts::public::OwnListing> =
        serde_json::from_slice(&listed.unwrap().into_inner().json).unwrap();
    let mut states: Vec<(&str, &str)> =
        (listed.iter()).map(|row| (row.slug.as_str(), row.status.as_str())).collect();
    states.sort_unstable();
    assert_eq!(states, [("one", "published"), ("two", "archived")]);
    let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
    let found = review
        .search(proto::SearchRequest::default())
        .await
        .unwrap()
        .into_inner()
        .listings
        .into_iter();
    let found: Vec<_> =
        found.map(|found| (found.name.clone().unwrap().name, found.state())).collect();
    let expected =
        [("one", Published), ("other", Published), ("studio", Unspecified), ("two", Unspecified)];
    assert_eq!(found, expected.map(|(name, state)| (name.to_owned(), state)));
    // A page or a claim that cannot be read is left out.
    let request = proto::ListOwnPagesRequest { account_id: account_id.clone() };
    let own = pages.list_own_pages(request).await.unwrap().into_inner();
    assert_eq!(own.pages, []);
    let claims = pages.list_own_claims(proto::ListOwnClaimsRequest { account_id }).await;
    assert_eq!(claims.unwrap().into_inner().claims, []);
}

/// A listing with what a later version has stored: fields and keys inside them that this version
/// does not know, and a city that its gazetteer does not have.
struct Newer {
    kind: &'static str,
    name: &'static str,
    fields: Value,
    /// The field that the changes write.
    text: &'static str,
    /// Fields as a client sends them back that has read them here, with what it changes.
    sent_back: Value,
}

const BANNER: &str = "2222222222222222222222222222222222222222222222222222222222222222";
const SHOT: &str = "3333333333333333333333333333333333333333333333333333333333333333";

fn newer() -> [Newer; 3] {
    let place = json!({"rating": "12", "city": "Zzville", "city_slug": "zzville"});
    let sent_place = json!({"country_code": "NG", "city": "Zzville"});
    let shot = |name: &str| json!({"url": format!("https://a.example/{name}.png"), "width": 640, "height": 480, "alt": "", "blur": name});
    let credit = |name: &str, share: i64| json!({"handle": null, "name": name, "role": "Code", "share": share});
    [
        Newer {
            kind: "page",
            name: "studio",
            fields: place.clone(),
            text: "tagline",
            sent_back: sent_place.clone(),
        },
        Newer {
            kind: "event",
            name: "a-jam",
            fields: place,
            text: "description",
            sent_back: sent_place,
        },
        Newer {
            kind: "game",
            name: "one",
            fields: json!({
                "rating": "12", "credits": [credit("Ada", 5), credit("Bob", 6)], "screenshots": [shot("a"), shot("b")],
                "banner_url": format!("/pictures/{BANNER}.jpg"),
            }),
            text: "tagline",
            sent_back: json!({"credits": [
                {"handle": null, "name": "Ada", "role": "Code"}, {"handle": null, "name": "Bob", "role": "Code"},
            ]}),
        },
    ]
}

impl Newer {
    async fn content(&self, pool: &PgPool, mode: &str) -> Value {
        sqlx::query_scalar!(
            "select content from listings.listing where entity = $1 and mode = $2 and name = $3",
            self.kind,
            mode,
            self.name
        )
        .fetch_one(pool)
        .await
        .unwrap()
    }

    /// Stores what the later version has.
    async fn store(&self, pool: &PgPool) {
        sqlx::query!(
            "update listings.listing set content = content || $1 where entity = $2 and name = $3",
            self.fields,
            self.kind,
            self.name
        )
        .execute(pool)
        .await
        .unwrap();
    }

    async fn change_by_account(&self, service: &Service, body: &Value) {
        let account = uuid::Uuid::from_u128(1);
        let (slug, writing) = (self.name.to_owned(), Some(crate::accounts::writing(account, body)));
        match self.kind {
            "game" => {
                let request = proto::UpdateGameRequest { slug, writing, precondition: None };
                drop(service.games.clone().update_game(request).await.unwrap());
            }
            "event" => {
                let request = proto::UpdateEventRequest { slug, writing, precondition: None };
                drop(service.events.clone().update_event(request).await.unwrap());
            }
            _ => {
                let request = proto::UpdatePageRequest {
                    account_id: account.to_string(),
                    handle: slug,
                    body: body.to_string().into(),
                    ..proto::UpdatePageRequest::default()
                };
                let mut pages = PagesServiceClient::new(service.fleet.clone());
                drop(pages.update_page(request).await.unwrap());
            }
        }
    }

    async fn edit_by_staff(&self, service: &Service, changes: &Value) -> i64 {
        let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
        let request = proto::EditRequest {
            name: Some(listing_name(self.kind, self.name)),
            changes: changes.to_string(),
            ..proto::EditRequest::default()
        };
        review.edit(request).await.unwrap().into_inner().listing.unwrap().revision
    }

    async fn revert_by_staff(&self, service: &Service, to_revision: i64) {
        let mut review = StaffReviewServiceClient::new(service.operator_client.clone());
        let name = Some(listing_name(self.kind, self.name));
        let request = proto::RevertRequest { name, to_revision, ..proto::RevertRequest::default() };
        review.revert(request).await.unwrap();
    }
}

async fn start_with_newer(pool: &PgPool) -> Service {
    let service = start_with_games(pool.clone(), &["one"]).await;
    service.accounts().await.event("a-jam").await;
    decide_on(&service, proto::Decision::Approve, "event", "a-jam").await;
    for hash in [BANNER, SHOT] {
        sqlx::query!("insert into listings.picture (hash, uploaded_at) values ($1, now())", hash)
            .execute(pool)
            .await
            .unwrap();
    }
    sqlx::query!(
        "insert into listings.listing_picture (listing_id, hash) select id, $1 from listings.listing where name = 'one'",
        BANNER
    )
    .execute(pool)
    .await
    .unwrap();
    service
}

#[testing::database_test(listings::MIGRATOR)]
async fn what_a_later_version_stored_stays_whoever_changes_another_field(pool: PgPool) {
    let service = start_with_newer(&pool).await;
    for newer in newer() {
        newer.store(&pool).await;
        let stored = newer.content(&pool, "live").await;
        let check = async |text: &str, how: &str| {
            let mut expected = stored.clone();
            expected[newer.text] = text.into();
            assert_eq!(newer.content(&pool, "live").await, expected, "{}: {how}", newer.kind);
        };
        // What changes no value is no revision and no webhook.
        let (head, revisions) = (service.head().await, service.revisions().await);
        for nothing in [json!({}), newer.sent_back.clone()] {
            newer.change_by_account(&service, &nothing).await;
            newer.edit_by_staff(&service, &nothing).await;
        }
        assert_eq!((service.head().await, service.revisions().await), (head, revisions));

        let text = |text: &str| json!({ newer.text: text });
        newer.change_by_account(&service, &text("By its account")).await;
        check("By its account", "a PATCH").await;
        let mut back = newer.sent_back.clone();
        back[newer.text] = "Sent back".into();
        newer.change_by_account(&service, &back).await;
        check("Sent back", "a PATCH with the fields of a read").await;
        let revision = newer.edit_by_staff(&service, &text("By staff")).await;
        check("By staff", "an edit by staff").await;
        back[newer.text] = "Again".into();
        newer.edit_by_staff(&service, &back).await;
        check("Again", "an edit by staff of the fields of a read").await;
        newer.revert_by_staff(&service, revision).await;
        check("By staff", "a revert").await;
    }
}

/// Changes of a list of items keep what they do not know of each item, and pictures that another
/// field names.
#[testing::database_test(listings::MIGRATOR)]
async fn keys_of_a_later_version_move_with_their_item(pool: PgPool) {
    let service = start_with_newer(&pool).await;
    let [_, _, game] = newer();
    game.store(&pool).await;
    let account = service.accounts().await.account;
    let blurs = async || {
        let content = game.content(&pool, "live").await;
        let shots = content["screenshots"].as_array().unwrap().clone();
        shots.iter().map(|shot| shot["blur"].clone()).collect::<Vec<_>>()
    };
    let order = ["b", "a"].map(|name| proto::ArrangedScreenshot {
        url: format!("https://a.example/{name}.png"),
        alt: "New".to_owned(),
    });
    let request = proto::ArrangeScreenshotsRequest {
        account_id: account.to_string(),
        name: "one".to_owned(),
        screenshots: order.into(),
        writes_per_day: None,
        revision: 2,
    };
    let mut pictures = OwnPicturesServiceClient::new(service.fleet.clone());
    pictures.arrange_screenshots(request).await.unwrap();
    assert_eq!(blurs().await, ["b", "a"]);

    // One more screenshot, and a credit with another role.
    let shot = |name: &str| json!({"url": format!("https://a.example/{name}.png"), "width": 640, "height": 480});
    let uploaded = json!({"url": format!("/pictures/{SHOT}.jpg"), "width": 640, "height": 480});
    let changes = json!({
        "screenshots": [shot("a"), uploaded, shot("b")],
        "credits": [{"name": "Bob", "role": "Art"}, {"name": "Eve", "role": "Code"}],
    });
    game.edit_by_staff(&service, &changes).await;
    assert_eq!(blurs().await, [json!("a"), Value::Null, json!("b")]);
    let credits = game.content(&pool, "live").await["credits"].clone();
    assert_eq!((&credits[0]["share"], credits[1].get("share")), (&json!(6), None));
    let named = async || {
        let hashes = sqlx::query_scalar!(
            "select listing_picture.hash from listings.listing_picture join listings.listing on listing.id = listing_id
             where name = 'one' and mode = 'live' order by 1"
        );
        hashes.fetch_all(&pool).await.unwrap()
    };
    assert_eq!(named().await, [BANNER, SHOT]);
    game.edit_by_staff(&service, &json!({"screenshots": null})).await;
    assert_eq!(named().await, [BANNER], "a field of the later version names it");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_sample_that_a_later_version_stored_stays_when_its_row_is_imported_again(pool: PgPool) {
    let service = start(pool.clone()).await;
    let place = json!({"country_code": "NG", "city": "Zzville"});
    let mut page = creator("studio");
    let mut jam =
        json!({"slug": "a-jam", "title": "A Jam", "kind": "jam", "starts_at": "2026-07-01"});
    for row in [&mut page, &mut jam] {
        for (field, value) in place.as_object().unwrap() {
            row[field] = value.clone();
        }
    }
    let mut one = crate::support::game("one", "One");
    let [_, _, game] = newer();
    one["credits"] = game.sent_back["credits"].clone();
    let files = [("page", page), ("game", one), ("event", jam)]
        .map(|(kind, row)| File::rows(kind, &[row]).test());
    for file in &files {
        assert_eq!(service.import(file).await.created, 1);
    }
    let mut stored = Vec::new();
    for newer in newer() {
        let mut fields = newer.fields.clone();
        // A row says which screenshots a game has, and the others of it.
        fields.as_object_mut().unwrap().remove("screenshots");
        Newer { fields, ..newer }.store(&pool).await;
    }
    for newer in newer() {
        stored.push(newer.content(&pool, "test").await);
    }
    let head = service.head().await;
    for file in &files {
        let report = service.import(file).await;
        assert_eq!((report.updated, report.unchanged), (0, 1), "{report:?}");
    }
    assert_eq!(service.head().await, head);
    for (newer, stored) in newer().iter().zip(stored) {
        assert_eq!(newer.content(&pool, "test").await, stored);
    }
}
