//! Staff end the second factor of a person who has lost phone and recovery codes, and stop that.

use contracts::common::v1::{AuditEntry, ListAuditRequest};
use contracts::web::v1 as proto;
use contracts::web::v1::staff_service_server::StaffService as _;
use kit::audit::Audit;
use kit::rpc::staff::{Member, Role as StaffRole};
use kit::{Code, Fault, timestamp};
use pages::site::Language;
use sqlx::PgPool;
use time::Duration;
use tonic::{Request, Status};
use web::app::App;
use web::service::staff::Staff;
use web::store::people::{self, Person};

use crate::browser::Browser;
use crate::languages::french_link;
use crate::lost_phone::{CAROL, begin, run, site_of_ada, subjects};
use crate::second_factor::half_signed_in;
use crate::support::{ADA, BOB, Site};

const REASON: &str = "Called back on the number in the contract";
const ENDS: &str = "Your second factor ends in a day";
const STAYS: &str = "Your second factor stays";

fn staff(site: &Site) -> Staff {
    Staff {
        app: App::clone(&site.app),
        audit: Audit::new(site.pool.clone(), web::store::SCHEMA, site.clock.clone()),
    }
}

/// A call of the member `rita` with this role.
fn by<T>(role: StaffRole, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let name = "rita".to_owned();
    request.extensions_mut().insert(Member { name, role });
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
    let request = proto::EndSecondFactorRequest {
        email: email.to_owned(),
        reason: reason.to_owned(),
    };
    let response = staff(site).end_second_factor(by(role, request)).await?;
    Ok(response.into_inner().person.unwrap())
}

/// An admin ends Ada's second factor.
async fn end(site: &Site) -> proto::Person {
    let ending = end_by(site, StaffRole::Admin, "Ada@Studio.Example", REASON).await;
    ending.unwrap()
}

async fn cancel_by(site: &Site, role: StaffRole, reason: &str) -> Result<proto::Person, Status> {
    let request = proto::CancelEndOfSecondFactorRequest {
        email: ADA.to_owned(),
        reason: reason.to_owned(),
    };
    let request = by(role, request);
    let response = staff(site).cancel_end_of_second_factor(request).await?;
    Ok(response.into_inner().person.unwrap())
}

/// The audit, oldest first.
async fn audit(site: &Site) -> Vec<AuditEntry> {
    let request = by(StaffRole::Admin, ListAuditRequest::default());
    let listed = staff(site).list_audit(request).await.unwrap();
    listed.into_inner().entries.into_iter().rev().collect()
}

async fn person(site: &Site, email: &str) -> Person {
    let found = people::by_email(&site.pool, email).await.unwrap();
    found.unwrap()
}

async fn count(site: &Site, recipient: &str, subject: &str) -> usize {
    let all = subjects(site, recipient).await;
    all.iter().filter(|it| *it == subject).count()
}

fn fields(status: Status) -> Vec<String> {
    let fault = Fault::from(status);
    assert_eq!(fault.code, Code::Invalid, "{fault}");
    fault.fields.into_keys().collect()
}

#[testing::database_test(web::MIGRATOR)]
async fn staff_end_a_second_factor_after_a_day_unless_somebody_stops_it(pool: PgPool) {
    let (site, _) = site_of_ada(pool).await;
    let bob = person(&site, BOB).await.id;
    let french = people::set_preferences(&site.pool, bob, Language::French, &[]);
    french.await.unwrap();
    let ending = end(&site).await;
    let ends_at = Some(timestamp::encode(site.clock.now() + Duration::DAY));
    assert_eq!(ending.second_factor_ends_at, ends_at);
    assert_eq!((ending.email.as_str(), ending.other_owners), (ADA, 1));
    assert_eq!(count(&site, ADA, ENDS).await, 1);
    let of_owner = subjects(&site, BOB).await;
    assert_eq!(
        of_owner,
        ["La double authentification d’un membre prend fin dans un jour"]
    );
    assert_eq!(subjects(&site, CAROL).await, Vec::<String>::new());
    let mails = site.mails().await;
    let newest = mails.iter().rev().find(|mail| mail.0 == ADA).unwrap();
    assert!(newest.2.contains("Staff were asked"), "{}", newest.2);
    assert!(!newest.2.contains("ignore it"), "{}", newest.2);

    // A repeated call does not begin another day.
    site.clock.advance(Duration::HOUR);
    assert_eq!(end(&site).await.second_factor_ends_at, ends_at);
    assert_eq!(subjects(&site, BOB).await, of_owner);

    let link = french_link(&site, BOB).await;
    let mut owner = Browser::at(&site.router, 31);
    owner.get(&link).await.assert(200, "La garder");
    let stopped = owner.post(&link, &[]).await;
    stopped.assert(200, "La double authentification reste active");
    assert_eq!(count(&site, ADA, STAYS).await, 1);
    site.clock.advance(Duration::hours(25));
    assert_eq!(run(&site).await, 0);
    half_signed_in(&site).await;

    end(&site).await;
    site.clock.advance(Duration::hours(23));
    assert_eq!(run(&site).await, 0);
    site.clock.advance(Duration::HOUR);
    assert_eq!(run(&site).await, 1);
    let shown = show(&site, StaffRole::Admin, ADA).await.unwrap();
    assert!(!shown.has_second_factor && shown.second_factor_ends_at.is_none());
    let mut browser = site.signed_in(ADA).await;
    let page = browser.get("/you/activity").await;
    page.assert(200, "staff were asked to end the second factor");
    page.assert(200, "a day after it was asked for");

    let entries = audit(&site).await;
    assert_eq!(entries.len(), 2, "{entries:?}");
    for entry in entries {
        let did = (entry.member.as_str(), entry.action.as_str());
        assert_eq!(did, ("rita", "end_second_factor"));
        assert_eq!(
            (entry.entity.as_str(), entry.name.as_str()),
            ("person", ADA)
        );
        assert!(entry.details.contains(REASON), "{}", entry.details);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn staff_cancel_the_end_of_a_second_factor_whoever_requested_it(pool: PgPool) {
    let (site, _) = site_of_ada(pool).await;
    for asks_herself in [true, false] {
        if asks_herself {
            begin(&site).await;
        } else {
            end(&site).await;
        }
        let link = site.link(BOB).await;
        let kept = cancel_by(&site, StaffRole::Admin, REASON).await.unwrap();
        assert!(kept.has_second_factor && kept.second_factor_ends_at.is_none());
        let again = cancel_by(&site, StaffRole::Admin, REASON).await;
        assert_eq!(Fault::from(again.unwrap_err()).code, Code::NotFound);
        Browser::at(&site.router, 31)
            .get(&link)
            .await
            .assert(410, "does not work");
        site.clock.advance(Duration::hours(25));
        assert_eq!(run(&site).await, 0);
    }
    assert_eq!(count(&site, ADA, STAYS).await, 2);

    // A change of the credentials stops it as well, and staff see so.
    end(&site).await;
    let ada = person(&site, ADA).await;
    let ended = people::end_sessions(&site.pool, &ada).await;
    ended.unwrap();
    let shown = show(&site, StaffRole::Admin, ADA).await.unwrap();
    assert_eq!(shown.second_factor_ends_at, None);
    let ends_at = timestamp::encode(site.clock.now() + Duration::DAY);
    assert_eq!(end(&site).await.second_factor_ends_at, Some(ends_at));

    let entries = audit(&site).await;
    let actions: Vec<&str> = entries.iter().map(|entry| entry.action.as_str()).collect();
    let (end, cancel) = ("end_second_factor", "cancel_end_of_second_factor");
    assert_eq!(actions, [cancel, end, cancel, end, end]);
}

#[testing::database_test(web::MIGRATOR)]
async fn only_an_admin_with_a_reason_ends_a_second_factor(pool: PgPool) {
    let (site, _) = site_of_ada(pool).await;
    let reviewer = StaffRole::Reviewer;
    for refused in [
        show(&site, reviewer, ADA).await,
        end_by(&site, reviewer, ADA, REASON).await,
        cancel_by(&site, reviewer, REASON).await,
    ] {
        let status = refused.unwrap_err();
        assert_eq!(status.code(), tonic::Code::PermissionDenied, "{status:?}");
    }
    let entries = audit(&site).await;
    let refused: Vec<(&str, bool)> = (entries.iter())
        .map(|entry| (entry.action.as_str(), entry.refused))
        .collect();
    assert_eq!(
        refused,
        [
            ("look", true),
            ("end_second_factor", true),
            ("cancel_end_of_second_factor", true)
        ]
    );

    let admin = StaffRole::Admin;
    for (email, reason, expected) in [
        (ADA, " ", &["reason"][..]),
        ("ada", "", &["email", "reason"]),
        // Bob has no second factor.
        (BOB, REASON, &["email"]),
    ] {
        let refused = end_by(&site, admin, email, reason).await;
        assert_eq!(fields(refused.unwrap_err()), expected, "{email}");
    }
    let refused = cancel_by(&site, admin, "").await;
    assert_eq!(fields(refused.unwrap_err()), ["reason"]);
    for refused in [
        show(&site, admin, "nobody@studio.example").await,
        end_by(&site, admin, "nobody@studio.example", REASON).await,
    ] {
        assert_eq!(Fault::from(refused.unwrap_err()).code, Code::NotFound);
    }

    let shown = show(&site, admin, ADA).await.unwrap();
    assert!(shown.has_second_factor && shown.second_factor_ends_at.is_none());
    assert_eq!(count(&site, ADA, ENDS).await, 0);
    assert_eq!(subjects(&site, BOB).await, Vec::<String>::new());
    assert_eq!(audit(&site).await.len(), 3, "what is refused is not done");
}
