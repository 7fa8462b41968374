//! Staff invite owners, list the people of an account, and end the second factor of a person who has lost the phone and the recovery codes.

use contracts::common::v1::{AuditEntry, ListAuditRequest};
use contracts::web::v1 as proto;
use contracts::web::v1::staff_service_server::StaffService as _;
use kit::audit::Audit;
use kit::rpc::staff::{Member, Role as StaffRole};
use kit::{Code, Fault};
use pages::Language;
use sqlx::PgPool;
use time::Duration;
use tonic::{Request, Status};
use web::app::App;
use web::domain::role::Role;
use web::service::staff::Staff;
use web::store::people;

use crate::browser::Browser;
use crate::second_factor::{half_signed_in, turn_on};
use crate::support::{ADA, BOB, PASSWORD, Site};

const CAROL: &str = "carol@studio.example";
const REASON: &str = "Called back on the number in the contract";

/// Creates an account with Bob as owner, Carol as editor, and Ada as a developer who has a second factor. Returns Ada's browser.
async fn site_of_ada(pool: PgPool) -> (Site, Browser) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Developer).await;
    for (email, role) in [(BOB, Role::Owner), (CAROL, Role::Editor)] {
        let member = site.person(email).await;
        site.join(account, member, role).await;
    }
    let mut browser = site.signed_in(ADA).await;
    turn_on(&site, &mut browser).await;
    site.clock.advance(Duration::minutes(16));
    (site, browser)
}

async fn subjects(site: &Site, recipient: &str) -> Vec<String> {
    let mails = site.mails().await.into_iter();
    let own = mails.filter(|mail| mail.0 == recipient);
    own.map(|mail| mail.1).collect()
}

fn staff(site: &Site) -> Staff {
    Staff {
        app: App::clone(&site.app),
        audit: Audit::new(site.pool.clone(), web::store::SCHEMA, site.clock.clone()),
    }
}

/// A call of the member `rita`, with this role.
fn by<T>(role: StaffRole, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let name = "rita".to_owned();
    request.extensions_mut().insert(Member { name, role, last_day: None });
    request
}

async fn show(site: &Site, role: StaffRole, email: &str) -> Result<proto::Person, Status> {
    let email = email.to_owned();
    let request = by(role, proto::GetPersonRequest { email });
    let response = staff(site).get_person(request).await?;
    Ok(response.into_inner().person.unwrap())
}

async fn end_by(
    site: &Site,
    role: StaffRole,
    email: &str,
    reason: &str,
) -> Result<proto::Person, Status> {
    let request =
        proto::EndSecondFactorRequest { email: email.to_owned(), reason: reason.to_owned() };
    let response = staff(site).end_second_factor(by(role, request)).await?;
    Ok(response.into_inner().person.unwrap())
}

/// The audit log, oldest first.
async fn audit(site: &Site) -> Vec<AuditEntry> {
    let request = by(StaffRole::Admin, ListAuditRequest::default());
    let listed = staff(site).list_audit(request).await.unwrap();
    listed.into_inner().entries.into_iter().rev().collect()
}

fn fields(status: Status) -> Vec<String> {
    let fault = Fault::from(status);
    assert_eq!(fault.code, Code::Invalid, "{fault}");
    fault.fields.into_keys().collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn staff_end_a_second_factor_and_everybody_is_told(pool: PgPool) {
    let (site, mut signed_in) = site_of_ada(pool).await;
    let bob = people::by_email(&site.pool, BOB).await.unwrap().unwrap().id;
    let french = people::set_preferences(&site.pool, bob, Language::French, true);
    french.await.unwrap();
    let mut half = half_signed_in(&site).await;
    let admin = StaffRole::Admin;
    let ended = end_by(&site, admin, "Ada@Studio.Example", REASON).await.unwrap();
    assert!(!ended.has_second_factor);
    assert_eq!((ended.email.as_str(), ended.other_owners), (ADA, 1));
    assert_eq!(show(&site, admin, ADA).await.unwrap(), ended);

    let own = subjects(&site, ADA).await;
    assert_eq!(own.last().unwrap(), "Your second factor was turned off");
    assert_eq!(
        subjects(&site, BOB).await,
        ["La double authentification d’un membre a été désactivée"]
    );
    assert_eq!(subjects(&site, CAROL).await, Vec::<String>::new());

    for (browser, path) in [(&mut signed_in, "/you"), (&mut half, "/sign-in/code")] {
        let page = browser.get(path).await;
        assert!(page.location().starts_with("/sign-in"), "{page:?}");
    }
    site.signed_in(ADA).await.get("/you").await.assert(200, ADA);

    let entries = audit(&site).await;
    assert_eq!(entries.len(), 1, "{entries:?}");
    let did = (entries[0].member.as_str(), entries[0].action.as_str());
    assert_eq!(did, ("rita", "end_second_factor"));
    let subject = (entries[0].entity.as_str(), entries[0].name.as_str());
    assert_eq!(subject, ("person", ADA));
    assert!(entries[0].details.contains(REASON), "{entries:?}");

    let again = end_by(&site, admin, ADA, REASON).await;
    assert_eq!(fields(again.unwrap_err()), ["email"]);
    assert_eq!(subjects(&site, ADA).await, own);
}

#[testing::database_test(web::MIGRATOR)]
async fn only_an_admin_with_a_reason_ends_a_second_factor(pool: PgPool) {
    let (site, _) = site_of_ada(pool).await;
    let reviewer = StaffRole::Reviewer;
    for refused in [show(&site, reviewer, ADA).await, end_by(&site, reviewer, ADA, REASON).await] {
        let status = refused.unwrap_err();
        assert_eq!(status.code(), tonic::Code::PermissionDenied, "{status:?}");
    }
    let entries = audit(&site).await;
    let refused: Vec<(&str, bool)> =
        (entries.iter()).map(|entry| (entry.action.as_str(), entry.refused)).collect();
    assert_eq!(refused, [("look", true), ("end_second_factor", true)]);

    let admin = StaffRole::Admin;
    for (email, reason, expected) in
        [(ADA, " ", &["reason"][..]), ("ada", "", &["email", "reason"])]
    {
        let refused = end_by(&site, admin, email, reason).await;
        assert_eq!(fields(refused.unwrap_err()), expected, "{email}");
    }
    for refused in [
        show(&site, admin, "nobody@studio.example").await,
        end_by(&site, admin, "nobody@studio.example", REASON).await,
    ] {
        assert_eq!(Fault::from(refused.unwrap_err()).code, Code::NotFound);
    }

    let shown = show(&site, admin, ADA).await.unwrap();
    assert!(shown.has_second_factor);
    assert_eq!(subjects(&site, BOB).await, Vec::<String>::new());
    assert_eq!(audit(&site).await.len(), 2, "what is refused is not done");
}

async fn invite(
    site: &Site,
    role: StaffRole,
    account: &str,
    email: &str,
) -> Result<proto::AccountPerson, Status> {
    let request =
        proto::InviteOwnerRequest { account_id: account.to_owned(), email: email.to_owned() };
    let response = staff(site).invite_owner(by(role, request)).await?;
    Ok(response.into_inner().person.unwrap())
}

/// The people of an account as a reviewer sees them: address, role, and whether the person is only invited.
async fn people_of(site: &Site, account: &str) -> Vec<(String, String, bool)> {
    let account_id = account.to_owned();
    let request = by(StaffRole::Reviewer, proto::ListAccountPeopleRequest { account_id });
    let response = staff(site).list_account_people(request).await.unwrap();
    let people = response.into_inner().people.into_iter();
    people.map(|it| (it.email, it.role, it.invited_until.is_some())).collect()
}

async fn accounts_of(site: &Site, email: &str) -> Result<Vec<String>, Status> {
    let email = email.to_owned();
    let request = by(StaffRole::Reviewer, proto::ListPersonAccountsRequest { email });
    let response = staff(site).list_person_accounts(request).await?;
    Ok(response.into_inner().account_ids)
}

/// Adds an account without people, as staff create it.
fn account_without_people(site: &Site) -> String {
    let id = kit::ids::row_id().to_string();
    site.gateway.add(contracts::gateway::v1::Account {
        id: id.clone(),
        name: "Karoo".to_owned(),
        plan: "partner".to_owned(),
        created_at: None,
    });
    id
}

#[testing::database_test(web::MIGRATOR)]
async fn the_first_owner_of_an_account_is_invited_by_staff(pool: PgPool) {
    let site = Site::new(pool).await;
    let account = account_without_people(&site);
    let admin = StaffRole::Admin;
    let owner = |email: &str, is_invited| (email.to_owned(), "owner".to_owned(), is_invited);
    invite(&site, admin, &account, "Ada@Studio.Example").await.unwrap();
    let first = site.link(ADA).await;
    // A second invitation invalidates the first link, and nobody is invited twice.
    invite(&site, admin, &account, ADA).await.unwrap();
    site.browser().get(&first).await.assert(410, "");
    assert_eq!(people_of(&site, &account).await, [owner(ADA, true)]);
    let mut browser = site.browser();
    let link = site.link(ADA).await;
    browser.get(&link).await.assert(200, "Join Karoo");
    let joined = browser.post(&link, &[("password", PASSWORD)]).await;
    assert_eq!(joined.location(), format!("/accounts/{account}"));
    let activity = browser.get(&format!("/accounts/{account}/activity")).await;
    activity.assert(200, "invited ada@studio.example");
    assert_eq!(people_of(&site, &account).await, [owner(ADA, false)]);
    assert_eq!(accounts_of(&site, ADA).await.unwrap(), std::slice::from_ref(&account));
    // A second account for the same person, who accepts while signed in.
    let second = account_without_people(&site);
    invite(&site, admin, &second, ADA).await.unwrap();
    let accepted = browser.post(&site.link(ADA).await, &[]).await;
    assert_eq!(accepted.location(), format!("/accounts/{second}"));
    assert_eq!(accounts_of(&site, ADA).await.unwrap(), [account, second]);
    let entries = audit(&site).await;
    let did = |entry: &AuditEntry| entry.action == "invite_owner" && entry.details.contains(ADA);
    assert!(entries.len() == 3 && entries.iter().all(did), "{entries:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_invitation_by_staff_names_an_account_and_no_member_of_it(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await.to_string();
    let (admin, reviewer) = (StaffRole::Admin, StaffRole::Reviewer);
    let refused = invite(&site, reviewer, &account, BOB).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::PermissionDenied);
    let nowhere = kit::ids::row_id().to_string();
    for unknown in
        [invite(&site, admin, &nowhere, BOB).await.err(), accounts_of(&site, BOB).await.err()]
    {
        assert_eq!(Fault::from(unknown.unwrap()).code, Code::NotFound);
    }
    let member = invite(&site, admin, &account, ADA).await;
    assert_eq!(fields(member.unwrap_err()), ["email"]);
    let odd = invite(&site, admin, "7", "bob").await;
    assert_eq!(fields(odd.unwrap_err()), ["account_id", "email"]);
    assert!(site.mails().await.is_empty());
}
