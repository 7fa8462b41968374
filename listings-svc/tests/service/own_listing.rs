//! The reads of an account's own listings, and the data for the forms of the dashboard.

use contracts::listings::v1 as proto;
use contracts::listings::v1::get_own_listing_response::Listing;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use kit::{Code, Fault};
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::pictures::start_with_game;
use crate::review::listing_name;
use crate::support::{Service, decide};

const STRANGER: Uuid = Uuid::from_u128(77);

async fn own(
    service: &Service,
    account: Uuid,
    kind: &str,
    name: &str,
) -> Result<proto::GetOwnListingResponse, Fault> {
    let request = proto::GetOwnListingRequest {
        account_id: account.to_string(),
        kind: kind.to_owned(),
        name: name.to_owned(),
    };
    let found = service.own.clone().get_own_listing(request).await?;
    Ok(found.into_inner())
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_account_reads_its_listings_in_every_state(pool: PgPool) {
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    let client = &service.operator_client;
    accounts.event("b-jam").await;
    let published = (listing_name("event", "b-jam"), Some(1));
    decide(client, proto::Decision::Approve, published, "").await.unwrap();
    accounts.event("a-jam").await;
    accounts.page("a-page").await;
    accounts.game_under("its-game", "a-page").await;
    let rejected = (listing_name("page", "a-page"), None);
    decide(client, proto::Decision::Reject, rejected, "Whose is it?").await.unwrap();

    let game = own(&service, ada, "game", "its-game").await.unwrap();
    assert!(game.note.contains("was rejected"), "{}", game.note);
    assert_eq!((game.creator.as_str(), game.ended), ("a-page", None));
    let Some(Listing::Game(content)) = game.listing else {
        unreachable!("a game");
    };
    assert_eq!(
        (content.state(), content.genres),
        (proto::State::Pending, vec!["puzzle".to_owned()])
    );
    let event = own(&service, ada, "event", "a-jam").await.unwrap();
    assert!(matches!(event.listing, Some(Listing::Event(it)) if it.title == "a-jam"));
    let page = own(&service, ada, "page", "a-page").await.unwrap();
    let ended = page.ended.unwrap();
    assert_eq!((&*ended.by_account, &*ended.reason), ("", "Whose is it?"));
    let request = proto::ListOwnPagesRequest { account_id: ada.to_string() };
    let pages = PagesServiceClient::new(service.fleet.clone());
    let listed = pages.clone().list_own_pages(request).await.unwrap().into_inner();
    assert_eq!(listed.ended, [("a-page".to_owned(), ended)].into());

    let removed = (listing_name("game", "a-game"), None);
    decide(client, proto::Decision::TakeDown, removed, "Stolen").await.unwrap();
    let removed = own(&service, ada, "game", "a-game").await.unwrap();
    assert!(
        matches!(removed.listing, Some(Listing::Game(it)) if it.state() == proto::State::Removed)
    );
    let ended = removed.ended.unwrap();
    assert_eq!((&*ended.reason, &*ended.by_account), ("Stolen", ""));
    assert!(ended.at.is_some());
    let request = proto::TakeDownListingRequest {
        account_id: ada.to_string(),
        kind: "event".to_owned(),
        name: "b-jam".to_owned(),
        revision: 2,
    };
    let taken_down = service.own.clone().take_down_listing(request).await;
    taken_down.unwrap();
    let removed = own(&service, ada, "event", "b-jam").await.unwrap();
    let ended = removed.ended.unwrap();
    assert_eq!((&*ended.reason, ended.by_account), ("", ada.to_string()));
    for (account, kind, name, code) in [
        (STRANGER, "page", "a-page", Code::NotFound),
        (STRANGER, "game", "its-game", Code::NotFound),
        (STRANGER, "event", "a-jam", Code::NotFound),
        (ada, "game", "no\0ne", Code::NotFound),
        (ada, "genre", "puzzle", Code::Invalid),
    ] {
        assert_eq!(own(&service, account, kind, name).await.unwrap_err().code, code);
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_dry_run_creates_no_page_and_a_repeated_call_creates_one(pool: PgPool) {
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let mut pages = PagesServiceClient::new(service.fleet.clone());
    let body = json!({"name": "Ada's", "kind": "person", "country_code": "NG"});
    let mut request = proto::CreatePageRequest {
        account_id: ada.to_string(),
        body: body.to_string().into(),
        dry_run: true,
        idempotency_key: "form-1".to_owned(),
    };
    let checked = pages.create_page(request.clone()).await.unwrap().into_inner().written.unwrap();
    assert_eq!((checked.slug.as_deref(), checked.state()), (None, proto::State::Pending));
    request.dry_run = false;
    let first = pages.create_page(request.clone()).await.unwrap().into_inner().written.unwrap();
    let again = pages.create_page(request.clone()).await.unwrap().into_inner().written.unwrap();
    assert_eq!((first.slug.clone(), first.replayed), (again.slug, false));
    assert!(again.replayed);
    request.body =
        json!({"name": "Other", "kind": "person", "country_code": "NG"}).to_string().into();
    let other = pages.create_page(request).await.unwrap_err();
    assert_eq!(Fault::from(other).code, Code::IdempotencyMismatch);

    let change = |dry_run, revision| proto::UpdatePageRequest {
        account_id: ada.to_string(),
        handle: first.slug.clone().unwrap(),
        body: json!({"bio": "Makes games."}).to_string().into(),
        dry_run,
        precondition: Some(proto::Precondition { revisions: vec![revision] }),
        writes_per_day: None,
    };
    let checked = pages.update_page(change(true, 1)).await.unwrap().into_inner().written.unwrap();
    assert_eq!(checked.slug, None);
    let late = pages.update_page(change(false, 9)).await.unwrap_err();
    assert_eq!(Fault::from(late).code, Code::PreconditionFailed);
    let changed = pages.update_page(change(false, 1)).await.unwrap().into_inner().written.unwrap();
    assert_eq!(changed.revision, 2);
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_accepted_values_of_fields_are_listed(pool: PgPool) {
    let service = start_with_game(pool).await;
    let listed = service.own.clone().list_field_values(proto::ListFieldValuesRequest {}).await;
    let values = listed.unwrap().into_inner();
    let countries: Vec<&str> = values.countries.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(countries.len(), 54);
    assert_eq!(countries[..2], ["Algeria", "Angola"]);
    assert_eq!(values.genres.len(), 22);
    assert!(values.platforms.contains(&"web".to_owned()));
    assert!(values.page_links.len() > values.game_links.len());
}
