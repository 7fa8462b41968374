//! Edits by staff, and the search for listings.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::rpc::client::Client;
use kit::rpc::staff::Role;
use kit::{Code, Fault};
use prost::Message as _;
use serde_json::{Value, json};
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::review::listing_name;
use crate::support::{File, Service, counts, creator, decide, game, start};

type Review = StaffReviewServiceClient<Client>;

/// A service with the pages `studio` and `other`, a game, an event, and an admin.
async fn start_with_listings(pool: PgPool) -> (Service, Review) {
    let service = start(pool).await;
    let event = json!({"slug": "a-jam", "title": "A Jam", "kind": "jam", "starts_at": "2026-07-01", "country_code": "NG", "city": "Lagos"});
    for (entity, rows) in [
        ("page", vec![creator("studio"), creator("other")]),
        ("game", vec![game("a-game", "A Game")]),
        ("event", vec![event]),
    ] {
        let report = service.import(&File::rows(entity, &rows)).await;
        assert_eq!(counts(&report).3, 0);
    }
    let admin = service.member("bea", Role::Admin).await;
    (service, StaffReviewServiceClient::new(admin.channel))
}

async fn edit(
    review: &Review,
    kind: &str,
    name: &str,
    changes: &str,
) -> Result<proto::Listing, Status> {
    let request = proto::EditRequest {
        name: Some(listing_name(kind, name)),
        changes: changes.to_owned(),
        reason: "A typo".to_owned(),
        revision: None,
    };
    let answer = review.clone().edit(request).await?.into_inner();
    Ok(answer.listing.unwrap())
}

fn fields(outcome: Result<impl std::fmt::Debug, Status>) -> Vec<String> {
    let fault = Fault::from(outcome.unwrap_err());
    fault.fields.into_keys().collect()
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_edit_changes_only_the_named_fields(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    let before = service.head().await;
    let listing = edit(&review, "game", "a-game", r#"{"title": "A Better Game", "genres": null}"#)
        .await
        .unwrap();
    assert_eq!(
        (listing.title.as_str(), listing.revision, listing.state()),
        ("A Better Game", 2, proto::State::Published)
    );
    assert_eq!((listing.actor.as_str(), listing.reason.as_str()), ("bea", "A typo"));
    let same = edit(&review, "game", "a-game", r#"{"title": "A Better Game"}"#).await;
    assert_eq!(same.unwrap().revision, 2);
    let changes = service.changes(before).await;
    let [change] = &changes[..] else { unreachable!("one change") };
    assert_eq!((change.event.as_str(), change.announced), ("updated", true));
    let state = proto::Game::decode(&change.state[..]).unwrap();
    assert_eq!((state.title.as_str(), state.genres.len()), ("A Better Game", 0));

    edit(&review, "page", "studio", r#"{"city": "Kano"}"#).await.unwrap();
    edit(&review, "event", "a-jam", r#"{"url": "https://jam.example"}"#).await.unwrap();
    let row = sqlx::query!(
        r#"select (select content ->> 'city_slug' from listings.listing where name = 'studio') as "slug!",
               (select content ->> 'website' from listings.listing where name = 'a-jam') as "site!""#
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    assert_eq!((row.slug.as_str(), row.site.as_str()), ("kano", "https://jam.example"));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_bad_edit_names_every_bad_field_and_changes_nothing(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    let revisions = service.revisions().await;
    let bad = r#"{"slug": "b", "title": "", "genres": ["x"], "credits": [{"handle": "nobody", "name": "N"}]}"#;
    assert_eq!(
        fields(edit(&review, "game", "a-game", bad).await),
        ["credits.0.handle", "genres.0", "slug", "title"]
    );
    let twice = r#"{"title": "b", "links": {"play": null, "play": null}, "title": "c"}"#;
    assert_eq!(fields(edit(&review, "game", "a-game", twice).await), ["links.play", "title"]);
    for body in ["", "[]", "{", "null"] {
        let fault = Fault::from(edit(&review, "game", "a-game", body).await.unwrap_err());
        assert_eq!(fault.code, Code::BadJson, "{body}");
    }
    let none = edit(&review, "game", "none", "{}").await.unwrap_err();
    assert_eq!(Fault::from(none).code, Code::NotFound);
    assert_eq!(service.revisions().await, revisions);
}

#[testing::database_test(listings::MIGRATOR)]
async fn edits_of_different_fields_at_once_both_last(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    let (one, two) = tokio::join!(
        edit(&review, "game", "a-game", r#"{"title": "One"}"#),
        edit(&review, "game", "a-game", r#"{"tagline": "Two"}"#)
    );
    one.unwrap();
    two.unwrap();
    let row = sqlx::query!(
        r#"select title, content ->> 'tagline' as "tagline!", revision from listings.listing where entity = 'game'"#
    )
        .fetch_one(&service.pool)
        .await
        .unwrap();
    assert_eq!((row.title.as_str(), row.tagline.as_str(), row.revision), ("One", "Two", 3));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_is_featured_and_unfeatured(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    let feature = async |featured: bool| {
        let changes = json!({"featured": featured}).to_string();
        edit(&review, "game", "a-game", &changes).await
    };
    for (featured, revision) in [(true, 2), (true, 2), (false, 3)] {
        assert_eq!(feature(featured).await.unwrap().revision, revision);
        let stands =
            sqlx::query_scalar!(r#"select content -> 'featured' as "featured!" from listings.listing where entity = 'game'"#)
                .fetch_one(&service.pool)
                .await
                .unwrap();
        assert_eq!(stands, featured);
    }
    // Only a public game can be featured; a hidden one can still be unfeatured.
    let hide = "update listings.listing set state = 'removed' where entity = 'game'";
    sqlx::raw_sql(hide).execute(&service.pool).await.unwrap();
    assert_eq!(fields(feature(true).await), ["featured"]);
    let hidden = r#"update listings.listing set content = content || '{"featured": true}' where entity = 'game'"#;
    sqlx::raw_sql(hidden).execute(&service.pool).await.unwrap();
    feature(false).await.unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_game_moves_to_another_page_and_an_event_to_another_account(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    let account = json!({"account": Uuid::max(), "title": "Its Jam"}).to_string();
    let event = edit(&review, "event", "a-jam", &account).await.unwrap();
    assert_eq!((event.revision, event.title.as_str()), (2, "Its Jam"));
    let again = edit(&review, "event", "a-jam", &account).await.unwrap();
    assert_eq!(again, event);
    let moved = edit(&review, "game", "a-game", r#"{"creator": "other"}"#).await;
    assert_eq!(moved.unwrap().revision, 2);
    let row = sqlx::query!(
        r#"select (select submitter from listings.listing where entity = 'event') as "submitter!", page.name
           from listings.listing as game join listings.listing as page on page.id = game.page_id"#
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    assert_eq!((row.submitter, row.name.as_str()), (Uuid::max(), "other"));
    let nobody = edit(&review, "game", "a-game", r#"{"creator": "nobody"}"#).await;
    assert_eq!(fields(nobody), ["creator"]);
    assert_eq!(service.decisions().await.len(), 1, "of the event");
    let me = edit(&review, "event", "a-jam", r#"{"account": "me"}"#).await;
    assert_eq!(fields(me), ["account"]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_transfer_of_an_event_names_both_accounts(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    let [ada, bob] = [1, 2].map(|n| Uuid::from_u128(n).to_string());
    let give = async |account: &str| {
        let changes = json!({ "account": account }).to_string();
        edit(&review, "event", "a-jam", &changes).await.unwrap();
    };
    give(&ada).await;
    give(&bob).await;

    let name = Some(listing_name("event", "a-jam"));
    let read = proto::GetReviewRequest { name, revision: 0 };
    let read = review.clone().get_review(read).await.unwrap().into_inner();
    let history: Vec<_> = (read.history.iter())
        .map(|it| (it.changed.clone(), it.former_account_id.as_str(), it.account_id.as_str()))
        .collect();
    let account = vec!["account".to_owned()];
    assert_eq!(
        history,
        [(account.clone(), &*ada, &*bob), (account, "", &*ada), (Vec::new(), "", "")]
    );
    let content: Value = serde_json::from_str(&read.content).unwrap();
    assert!(content.get("submitter").is_none(), "{content}");

    let entries = sqlx::query_scalar!(
        "select details from listings.audit where action = 'edit_as_admin' order by id desc"
    );
    let entry = &entries.fetch_all(&service.pool).await.unwrap()[0];
    assert_eq!(entry["changed"], json!(["account"]));
    assert_eq!((&entry["former_account"], &entry["account"]), (&json!(ada), &json!(bob)));

    let told = proto::StaffDecision {
        account_ids: vec![ada.clone(), bob.clone()],
        kind: "event".to_owned(),
        name: "a-jam".to_owned(),
        title: "A Jam".to_owned(),
        account_id: bob,
        former_account_id: ada,
        ..proto::StaffDecision::default()
    };
    let decisions = service.decisions().await;
    assert_eq!(decisions.len(), 2);
    assert_eq!(decisions[1], ("event_moved".to_owned(), told));
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_move_of_a_game_names_both_pages(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    edit(&review, "game", "a-game", r#"{"creator": "other", "title": "B"}"#).await.unwrap();
    edit(&review, "game", "a-game", r#"{"tagline": "C"}"#).await.unwrap();

    let name = Some(listing_name("game", "a-game"));
    let read = proto::GetReviewRequest { name, revision: 0 };
    let read = review.clone().get_review(read).await.unwrap().into_inner();
    let history: Vec<_> = (read.history.iter())
        .map(|it| (it.changed.join(" "), it.former_page.as_str(), it.page.as_str()))
        .collect();
    let expected = [("tagline", "", ""), ("creator title", "studio", "other"), ("", "", "")];
    assert_eq!(history, expected.map(|(changed, from, to)| (changed.to_owned(), from, to)));

    let ids = sqlx::query!(
        r#"select (select id from listings.listing where name = 'studio') as "studio!", (select id from listings.listing where name = 'other') as "other!""#
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    let entries = sqlx::query_scalar!(
        "select details from listings.audit where action = 'edit_as_admin' order by id"
    );
    let entry = &entries.fetch_all(&service.pool).await.unwrap()[0];
    assert_eq!(entry["changed"], json!(["creator", "title"]));
    assert_eq!((&entry["former_page"], &entry["page"]), (&json!("studio"), &json!("other")));
    let pages = (&entry["former_page_id"], &entry["page_id"]);
    assert_eq!(pages, (&json!(ids.studio), &json!(ids.other)));
}

/// Anybody's listing, public or not, and samples too.
#[testing::database_test(listings::MIGRATOR)]
async fn a_listing_is_read_as_of_each_of_its_revisions(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    for number in 2..=105 {
        let changes = json!({"tagline": format!("Tagline {number}")}).to_string();
        edit(&review, "game", "a-game", &changes).await.unwrap();
    }
    let name = listing_name("game", "a-game");
    let down = proto::Decision::TakeDown;
    decide(&service.operator_client, down, (name.clone(), None), "Why").await.unwrap();
    let read = async |name: &proto::ListingName, revision: i64| {
        let request = proto::GetReviewRequest { name: Some(name.clone()), revision };
        Ok::<_, Status>(review.clone().get_review(request).await?.into_inner())
    };
    let numbers = |read: &proto::GetReviewResponse| {
        let numbers: Vec<i64> = read.history.iter().map(|it| it.revision).collect();
        (numbers[0], numbers[numbers.len() - 1])
    };
    let now = read(&name, 0).await.unwrap();
    assert_eq!((now.state(), numbers(&now)), (proto::State::Removed, (106, 7)));
    for (revision, tagline, last) in [(5, json!("Tagline 5"), 1), (1, json!(""), 1)] {
        let then = read(&name, revision).await.unwrap();
        let content: Value = serde_json::from_str(&then.content).unwrap();
        assert_eq!((&content["tagline"], &content["creator"]), (&tagline, &json!("studio")));
        assert_eq!(numbers(&then), (revision, last));
        let [since] = &then.differences[..] else { unreachable!("{then:?}") };
        assert_eq!((since.path.as_str(), since.after.as_str()), ("tagline", "\"Tagline 105\""));
    }
    for absent in [-1, 107] {
        assert_eq!(fields(read(&name, absent).await), ["revision"]);
    }
    let sample = File::rows("page", &[creator("a-sample")]).test();
    service.import(&sample).await;
    let mode = contracts::common::v1::Mode::Test.into();
    let name = proto::ListingName { mode, ..listing_name("page", "a-sample") };
    let sample = read(&name, 0).await.unwrap();
    assert_eq!(sample.item.unwrap().name, Some(name.clone()));
    assert_eq!(sample.history.len(), 1);
    // It is no live listing.
    let live = listing_name("page", "a-sample");
    assert_eq!(Fault::from(read(&live, 0).await.unwrap_err()).code, Code::NotFound);
}

/// Each field that names a picture which does not exist.
#[testing::database_test(listings::MIGRATOR)]
async fn an_edit_with_an_absent_picture_names_its_fields(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    let url = format!("/pictures/{}.jpg", "0".repeat(64));
    let game = json!({
        "cover_url": url,
        "screenshots": [
            {"url": "https://a.example/1.png", "width": 640, "height": 480},
            {"url": url, "width": 640, "height": 480},
        ],
    });
    let revisions = service.revisions().await;
    let refused = edit(&review, "game", "a-game", &game.to_string()).await;
    assert_eq!(fields(refused), ["cover_url", "screenshots.1.url"]);
    let page = json!({ "avatar_url": url }).to_string();
    assert_eq!(fields(edit(&review, "page", "studio", &page).await), ["avatar_url"]);
    assert_eq!(service.revisions().await, revisions);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_reviewer_edits_no_field_of_admins(pool: PgPool) {
    let (service, admin) = start_with_listings(pool).await;
    let eve = service.member("eve", Role::Reviewer).await;
    let review = StaffReviewServiceClient::new(eve.channel);
    edit(&review, "game", "a-game", r#"{"title": "B"}"#).await.unwrap();
    // A JSON parser refuses the whole text, which is nested one level too deep, but accepts each field by itself.
    let (opening, closing) = ("[".repeat(127), "]".repeat(127));
    let deep = format!(r#"{{"note": {opening}{closing}, "verified": true}}"#);
    for (kind, name, changes) in [
        ("page", "studio", deep.as_str()),
        ("game", "a-game", r#"{"creator": "other"}"#),
        ("game", "a-game", r#"{"title": "C", "featured": true}"#),
        ("page", "studio", r#"{"verified": true}"#),
        ("event", "a-jam", r#"{"account": null}"#),
    ] {
        let refused = edit(&review, kind, name, changes).await.unwrap_err();
        assert_eq!(refused.code(), tonic::Code::PermissionDenied, "{changes}");
    }
    let verified = edit(&admin, "page", "studio", r#"{"verified": true}"#).await;
    assert_eq!(verified.unwrap().revision, 2);
}

#[testing::database_test(listings::MIGRATOR)]
async fn listings_are_found_by_a_part_of_their_name(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    let rows: Vec<Value> =
        (0..5).map(|n| game(&format!("game-{n}"), &format!("100% ÉTÉ_{n}"))).collect();
    service.import(&File::rows("game", &rows)).await;
    let search = async |request: proto::SearchRequest| {
        let answer = review.clone().search(request).await.unwrap().into_inner();
        let names: Vec<String> =
            answer.listings.iter().map(|found| found.name.clone().unwrap().name).collect();
        (names, answer.next_cursor)
    };
    let of = |text: &str, kind: &str| proto::SearchRequest {
        text: text.to_owned(),
        kind: kind.to_owned(),
        ..Default::default()
    };
    assert_eq!(search(of("A JAM", "")).await.0, ["a-jam"]);
    // `%` and `_` are not wildcards here.
    assert_eq!(search(of("0% été_", "")).await.0.len(), 5);
    assert!(search(of("_0%", "")).await.0.is_empty());
    assert_eq!(search(of("", "page")).await.0, ["other", "studio"]);
    let removed = proto::SearchRequest { state: proto::State::Removed.into(), ..of("", "") };
    assert!(search(removed).await.0.is_empty());

    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = proto::SearchRequest { limit: 2, cursor, ..of("game", "") };
        let (names, next) = search(request).await;
        found.extend(names);
        cursor = next;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(found, ["a-game", "game-0", "game-1", "game-2", "game-3", "game-4"]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn staff_can_send_back_credits_of_a_hidden_page(pool: PgPool) {
    let (service, review) = start_with_listings(pool).await;
    let credits = |role: &str| {
        let other = json!({"handle": "other", "name": "Other", "role": "Music"});
        json!({"credits": [other, {"name": "Ada", "role": role}]}).to_string()
    };
    edit(&review, "game", "a-game", &credits("Cod")).await.unwrap();
    let name = listing_name("page", "other");
    let (client, decision) = (&service.operator_client, proto::Decision::TakeDown);
    decide(client, decision, (name, None), "Why").await.unwrap();
    edit(&review, "game", "a-game", &credits("Code")).await.unwrap();
    let row = sqlx::query!(
        r#"select content -> 'credits' as "credits!" from listings.listing where name = 'a-game'"#
    )
    .fetch_one(&service.pool)
    .await
    .unwrap();
    assert_eq!(row.credits[0]["handle"], "other");
    assert_eq!(row.credits[1]["role"], "Code");
}
