//! Pages: accounts submit and claim them, and staff decide on claims (§4.3).

use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_client::PagesServiceClient;
use contracts::listings::v1::staff_page_service_client::StaffPageServiceClient;
use kit::rpc::client::Client;
use kit::{Code, Fault};
use listings::domain::entity::Entity;
use listings::domain::mode::Mode;
use listings::store::imports;
use listings::write::limits::MAX_WAITING;
use prost::Message as _;
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use crate::review::listing_name;
use crate::support::{File, MAX_PENDING, Service, creator, decide, start};

const ADA: Uuid = Uuid::from_u128(1);
const BOB: Uuid = Uuid::from_u128(2);

fn pages(service: &Service) -> PagesServiceClient<Client> {
    PagesServiceClient::new(service.fleet.clone())
}

fn staff(service: &Service) -> StaffPageServiceClient<Client> {
    StaffPageServiceClient::new(service.operator_client.clone())
}

async fn create(service: &Service, account: Uuid, body: &Value) -> Result<proto::Written, Fault> {
    let request = proto::CreatePageRequest {
        account_id: account.to_string(),
        body: body.to_string().into(),
        ..proto::CreatePageRequest::default()
    };
    let made = pages(service).create_page(request).await?;
    Ok(made.into_inner().written.unwrap())
}

async fn update(
    service: &Service,
    account: Uuid,
    handle: &str,
    body: &Value,
) -> Result<proto::Written, Fault> {
    let request = proto::UpdatePageRequest {
        account_id: account.to_string(),
        handle: handle.to_owned(),
        body: body.to_string().into(),
        ..proto::UpdatePageRequest::default()
    };
    let made = pages(service).update_page(request).await?;
    Ok(made.into_inner().written.unwrap())
}

async fn claim(
    service: &Service,
    account: Uuid,
    handle: &str,
    evidence: &str,
) -> Result<proto::Claim, Fault> {
    let request = proto::ClaimPageRequest {
        account_id: account.to_string(),
        handle: handle.to_owned(),
        evidence: evidence.to_owned(),
    };
    let made = pages(service).claim_page(request).await?;
    Ok(made.into_inner().claim.unwrap())
}

async fn own(service: &Service, account: Uuid) -> Vec<String> {
    let account_id = account.to_string();
    let own = pages(service).list_own_pages(proto::ListOwnPagesRequest { account_id }).await;
    own.unwrap().into_inner().pages.into_iter().map(|page| page.handle).collect()
}

fn body(name: &str) -> Value {
    json!({"name": name, "kind": "studio", "country_code": "NG", "city": "lagos"})
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_page_belongs_to_the_account_that_submitted_it(pool: PgPool) {
    let service = start(pool).await;
    let made = create(&service, ADA, &body("Kòra Studio")).await.unwrap();
    assert_eq!((made.slug.as_deref(), made.state()), (Some("kora-studio"), proto::State::Pending));
    let same = create(&service, BOB, &body("Kora Studio")).await.unwrap();
    assert_eq!(same.slug.as_deref(), Some("kora-studio-2"));
    let named =
        json!({"handle": "kora-studio", "name": "K", "kind": "studio", "country_code": "NG"});
    let taken = create(&service, BOB, &named).await.unwrap_err();
    assert!(taken.fields.keys().eq(["handle"]), "{taken:?}");
    assert_eq!(own(&service, ADA).await, ["kora-studio"]);

    let change = json!({"tagline": "Strings", "handle": "kora-studio"});
    assert!(update(&service, ADA, "kora-studio", &change).await.is_ok());
    let stranger = update(&service, BOB, "kora-studio", &change).await;
    assert_eq!(stranger.unwrap_err().code, Code::NotFound);
    let nothing = update(&service, ADA, "no\0ne", &change).await;
    assert_eq!(nothing.unwrap_err().code, Code::NotFound);
    for n in 1..MAX_PENDING {
        create(&service, ADA, &body(&format!("Page {n}"))).await.unwrap();
    }
    let full = create(&service, ADA, &body("One More")).await;
    assert_eq!(full.unwrap_err().code, Code::TooManyPending);
}

#[testing::database_test(listings::MIGRATOR)]
async fn changes_of_a_public_page_count_as_daily_writes(pool: PgPool) {
    let service = start(pool).await;
    create(&service, ADA, &body("Kora")).await.unwrap();
    let change = async |tagline: &str, dry_run: bool| {
        let request = proto::UpdatePageRequest {
            account_id: ADA.to_string(),
            handle: "kora".to_owned(),
            body: json!({ "tagline": tagline }).to_string().into(),
            dry_run,
            writes_per_day: Some(1),
            ..proto::UpdatePageRequest::default()
        };
        let changed = pages(&service).update_page(request).await;
        changed.map_err(|status| Fault::from(status).code)
    };
    let writes_today = async || {
        let request = proto::GetOwnListingRequest {
            account_id: ADA.to_string(),
            kind: "page".to_owned(),
            name: "kora".to_owned(),
        };
        let found = service.own.clone().get_own_listing(request).await;
        let shown = found.unwrap().into_inner().writes_today;
        // The forms of new listings show the same number.
        let request = proto::ListOwnPagesRequest { account_id: ADA.to_string() };
        let listed = pages(&service).list_own_pages(request).await;
        assert_eq!(listed.unwrap().into_inner().writes_today, shown);
        // So do staff.
        let request = proto::GetAccountWritesRequest { account_id: ADA.to_string() };
        let of_staff = service.listings.clone().get_account_writes(request).await;
        assert_eq!(of_staff.unwrap().into_inner().writes_today, shown);
        shown
    };
    for tagline in ["A", "B", "C"] {
        assert!(change(tagline, false).await.is_ok(), "it is pending");
    }
    let name = (listing_name("page", "kora"), None);
    decide(&service.operator_client, proto::Decision::Approve, name, "").await.unwrap();
    assert_eq!(writes_today().await, 0);
    assert!(change("D", true).await.is_ok());
    assert!(change("D", false).await.is_ok());
    assert!(change("D", false).await.is_ok(), "it changes nothing");
    for dry_run in [true, false] {
        assert_eq!(change("E", dry_run).await.unwrap_err(), Code::Limit);
    }
    assert_eq!(writes_today().await, 1);
    service.clock.advance(time::Duration::days(1));
    assert_eq!(writes_today().await, 0);
    assert!(change("E", false).await.is_ok());
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_renamed_page_is_no_longer_verified(pool: PgPool) {
    let service = start(pool).await;
    let mut page = creator("studio");
    page["verified"] = json!(true);
    service.import(&File::rows("page", &[page])).await;
    service.accounts().await;
    let is_verified = async || {
        let request = proto::GetOwnListingRequest {
            account_id: ADA.to_string(),
            kind: "page".to_owned(),
            name: "studio".to_owned(),
        };
        let found = service.own.clone().get_own_listing(request).await;
        match found.unwrap().into_inner().listing.unwrap() {
            proto::get_own_listing_response::Listing::Page(page) => page.verified,
            other => unreachable!("{other:?}"),
        }
    };
    // A client may send back the whole page, badge included.
    let same = json!({"name": "A Studio", "tagline": "Games", "verified": true});
    update(&service, ADA, "studio", &same).await.unwrap();
    assert!(is_verified().await);
    let renamed = json!({"name": "A Known Publisher", "verified": true});
    update(&service, ADA, "studio", &renamed).await.unwrap();
    assert!(!is_verified().await);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_claim_is_decided_by_staff_and_recorded_in_the_audit(pool: PgPool) {
    let service = start(pool).await;
    service.import(&File::rows("page", &["studio", "other"].map(creator))).await;
    create(&service, Uuid::max(), &body("Kora")).await.unwrap();
    // The page `kora` is pending.
    for handle in ["nobody", "kora"] {
        let refused = claim(&service, ADA, handle, "x").await.unwrap_err();
        assert_eq!(refused.code, Code::NotFound, "{handle}");
    }
    assert_eq!(claim(&service, ADA, "studio", " ").await.unwrap_err().code, Code::Invalid);
    let first = claim(&service, ADA, "studio", "See our site").await.unwrap();
    let again = claim(&service, ADA, "studio", "See https://studio.example/me").await.unwrap();
    assert_eq!((again.id.as_str(), again.state()), (first.id.as_str(), proto::ClaimState::Waiting));
    let other = claim(&service, BOB, "other", "It is mine").await.unwrap();

    let waiting = staff(&service)
        .list_claims(proto::ListClaimsRequest { page: None })
        .await
        .unwrap()
        .into_inner();
    assert_eq!((waiting.claims.len(), waiting.page.unwrap().total), (2, 2));
    let id = first.id.clone();
    for _ in 0..2 {
        let request = proto::GrantClaimRequest { id: id.clone() };
        let granted =
            staff(&service).grant_claim(request).await.unwrap().into_inner().claim.unwrap();
        assert_eq!(granted.state(), proto::ClaimState::Granted);
    }
    assert_eq!(own(&service, ADA).await, ["studio"]);
    assert_eq!(claim(&service, ADA, "studio", "Again").await.unwrap_err().code, Code::Invalid);
    let reject = |reason: &str| proto::RejectClaimRequest {
        id: other.id.clone(),
        reason: reason.to_owned(),
    };
    let silent = staff(&service).reject_claim(reject("")).await.unwrap_err();
    assert_eq!(Fault::from(silent).code, Code::Invalid);
    let rejected = staff(&service)
        .reject_claim(reject("Not shown"))
        .await
        .unwrap()
        .into_inner()
        .claim
        .unwrap();
    assert_eq!(
        (rejected.state(), rejected.reason.as_str()),
        (proto::ClaimState::Rejected, "Not shown")
    );
    let late = staff(&service).grant_claim(proto::GrantClaimRequest { id: other.id.clone() }).await;
    assert_eq!(Fault::from(late.unwrap_err()).code, Code::Invalid);
    assert_eq!(own(&service, BOB).await, [""; 0]);
    let kept = sqlx::query_scalar!(
        "select action from listings.audit where action like '%_claim' order by id"
    );
    assert_eq!(kept.fetch_all(&service.pool).await.unwrap(), ["grant_claim", "reject_claim"]);
}

/// An import may name pages for as long as it holds the lock.
#[testing::database_test(listings::MIGRATOR)]
async fn an_invalid_page_is_refused_before_names_are_locked(pool: PgPool) {
    let service = start(pool).await;
    let mut import = service.pool.begin().await.unwrap();
    let locked = imports::lock_kind(&mut import, Entity::Page, Mode::Live).await;
    locked.unwrap();
    let body = json!({"handle": "studio", "name": "", "kind": "studio"});
    let refused = create(&service, ADA, &body).await.unwrap_err();
    assert_eq!(refused.code, Code::Invalid);
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_account_withdraws_one_claim_that_waits(pool: PgPool) {
    let service = start(pool).await;
    let rows = ["studio", "other", "third"].map(creator);
    service.import(&File::rows("page", &rows)).await;
    let withdraw = async |account: Uuid, id: &str| {
        let request =
            proto::WithdrawClaimRequest { account_id: account.to_string(), id: id.to_owned() };
        let withdrawn = pages(&service).withdraw_claim(request).await;
        let claim = withdrawn.map(|answer| answer.into_inner().claim.map(|claim| claim.id));
        claim.map_err(|status| Fault::from(status).code)
    };
    let claimed = claim(&service, ADA, "studio", "Mine").await.unwrap();
    let kept = claim(&service, ADA, "other", "Mine").await.unwrap();
    for (account, id) in [(BOB, claimed.id.as_str()), (ADA, &Uuid::max().to_string())] {
        assert_eq!(withdraw(account, id).await, Ok(None));
    }
    let head = service.head().await;
    for expected in [Some(claimed.id.clone()), None] {
        assert_eq!(withdraw(ADA, &claimed.id).await, Ok(expected));
    }
    let request = proto::ListOwnClaimsRequest { account_id: ADA.to_string() };
    let own_claims = pages(&service).list_own_claims(request).await.unwrap();
    assert_eq!(own_claims.into_inner().claims, std::slice::from_ref(&kept));
    assert_eq!(service.head().await, head, "nobody gets a mail");
    let waiting = staff(&service)
        .list_claims(proto::ListClaimsRequest { page: None })
        .await
        .unwrap()
        .into_inner();
    let waiting: Vec<&str> = (waiting.claims.iter()).map(|it| it.id.as_str()).collect();
    assert_eq!(waiting, [kept.id.as_str()]);
    // Staff who read the claim before cannot grant it, and the account may claim the page again.
    let grant = proto::GrantClaimRequest { id: claimed.id };
    let late = staff(&service).grant_claim(grant).await;
    assert_eq!(Fault::from(late.unwrap_err()).code, Code::NotFound);
    let again = claim(&service, ADA, "studio", "Mine").await.unwrap();

    let grant = proto::GrantClaimRequest { id: again.id.clone() };
    staff(&service).grant_claim(grant).await.unwrap();
    assert_eq!(withdraw(ADA, &again.id).await.unwrap_err(), Code::Invalid);
    assert_eq!(own(&service, ADA).await, ["studio"]);
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_waiting_claims_of_a_closed_account_end(pool: PgPool) {
    let service = start(pool).await;
    let rows = ["studio", "other"].map(creator);
    service.import(&File::rows("page", &rows)).await;
    let granted = claim(&service, ADA, "other", "Mine").await.unwrap();
    let grant = proto::GrantClaimRequest { id: granted.id };
    staff(&service).grant_claim(grant).await.unwrap();
    claim(&service, ADA, "studio", "Mine").await.unwrap();
    claim(&service, BOB, "studio", "Mine").await.unwrap();
    for _ in 0..2 {
        let request = proto::WithdrawClaimsRequest { account_id: ADA.to_string() };
        pages(&service).withdraw_claims(request).await.unwrap();
    }
    let waiting = staff(&service)
        .list_claims(proto::ListClaimsRequest { page: None })
        .await
        .unwrap()
        .into_inner();
    let claimants: Vec<&str> = (waiting.claims.iter()).map(|it| it.account_id.as_str()).collect();
    assert_eq!(claimants, [BOB.to_string()]);
    let request = proto::ListOwnClaimsRequest { account_id: ADA.to_string() };
    let own = pages(&service).list_own_claims(request).await.unwrap();
    let ended: Vec<_> =
        (own.into_inner().claims.into_iter()).map(|it| (it.state(), it.reason)).collect();
    assert_eq!(
        ended,
        [
            (proto::ClaimState::Rejected, "The account was closed.".to_owned()),
            (proto::ClaimState::Granted, String::new()),
        ]
    );
}

/// The event of the newest page change after `after`, and the owners in it.
async fn newest_page_change(service: &Service, after: i64) -> (String, Vec<String>) {
    let changes = service.changes(after).await;
    let change = changes.iter().rfind(|change| change.entity == "page").unwrap();
    let page = proto::Page::decode(change.state.clone()).unwrap();
    assert!(!page.handle.is_empty());
    (change.event.clone(), page.owners)
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_feed_has_the_owners_of_a_page(pool: PgPool) {
    let service = start(pool).await;
    create(&service, ADA, &body("Kora")).await.unwrap();
    let (ada, bob) = (ADA.to_string(), BOB.to_string());
    let submitted = newest_page_change(&service, 0).await;
    assert_eq!(submitted, ("changed".to_owned(), vec![ada.clone()]));

    let mut head = service.head().await;
    for _ in 0..2 {
        let add = proto::AddOwnerRequest { handle: "kora".to_owned(), account_id: bob.clone() };
        let owners = staff(&service).add_owner(add).await.unwrap().into_inner();
        assert_eq!(owners.owners.len(), 2);
    }
    let added = newest_page_change(&service, head).await;
    let both = vec![ada.clone(), bob.clone()];
    assert_eq!(added, ("changed".to_owned(), both));
    assert_eq!(service.head().await, head + 2, "the page and its decision, once");

    head = service.head().await;
    let remove = proto::RemoveOwnerRequest { handle: "kora".to_owned(), account_id: ada };
    staff(&service).remove_owner(remove).await.unwrap();
    let left = newest_page_change(&service, head).await.1;
    assert_eq!(left, std::slice::from_ref(&bob));

    head = service.head().await;
    let change = json!({"tagline": "Strings"});
    update(&service, BOB, "kora", &change).await.unwrap();
    assert_eq!(newest_page_change(&service, head).await, ("changed".to_owned(), vec![bob]));
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_waiting_claims_of_an_account_are_limited(pool: PgPool) {
    let service = start(pool).await;
    let handles: Vec<String> = (0..=MAX_WAITING).map(|n| format!("page-{n}")).collect();
    let rows: Vec<Value> = handles.iter().map(|handle| creator(handle)).collect();
    service.import(&File::rows("page", &rows)).await;
    // The claims arrive concurrently, as from an impatient client.
    let made = handles.iter().map(|handle| claim(&service, ADA, handle, "Mine"));
    let made = futures::future::join_all(made).await;
    let refused: Vec<&Fault> = made.iter().filter_map(|made| made.as_ref().err()).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].code, Code::TooManyPending);
    assert!(refused[0].message.contains("claims"), "{}", refused[0]);
    // A waiting claim can be changed, and a decision frees its slot.
    let first = made.into_iter().find_map(Result::ok).unwrap();
    assert!(claim(&service, ADA, &first.handle, "Really").await.is_ok());
    let request = proto::RejectClaimRequest { id: first.id, reason: "Not shown".to_owned() };
    staff(&service).reject_claim(request).await.unwrap();
    assert!(claim(&service, ADA, &first.handle, "Again").await.is_ok());
    assert!(claim(&service, BOB, &handles[0], "Mine").await.is_ok());
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_resubmitted_page_counts_against_its_submitter(pool: PgPool) {
    let service = start(pool).await;
    create(&service, ADA, &body("Kora")).await.unwrap();
    let name = crate::review::listing_name("page", "kora");
    let rejected = proto::Decision::Reject;
    let client = &service.operator_client;
    crate::support::decide(client, rejected, (name, None), "Fewer strings").await.unwrap();
    let add = proto::AddOwnerRequest { handle: "kora".to_owned(), account_id: BOB.to_string() };
    staff(&service).add_owner(add).await.unwrap();
    // Bob's own submissions do not count against Ada's page.
    for n in 0..MAX_PENDING {
        let page = body(&format!("Of Bob {n}"));
        create(&service, BOB, &page).await.unwrap();
    }
    for n in 1..MAX_PENDING {
        let page = body(&format!("Of Ada {n}"));
        create(&service, ADA, &page).await.unwrap();
    }
    let again = update(&service, BOB, "kora", &json!({"tagline": "21 strings"})).await;
    assert_eq!(again.unwrap().state(), proto::State::Pending);
    let full = create(&service, ADA, &body("One More")).await;
    assert_eq!(full.unwrap_err().code, Code::TooManyPending);

    // When Ada's queue is full, nobody can submit her page again.
    let name = crate::review::listing_name("page", "kora");
    crate::support::decide(client, rejected, (name, None), "Fewer strings").await.unwrap();
    create(&service, ADA, &body("One More")).await.unwrap();
    let full = update(&service, BOB, "kora", &json!({"tagline": "More"})).await.unwrap_err();
    assert_eq!(full.code, Code::TooManyPending);
    assert!(full.message.contains("account that submitted"), "{full}");
}
