//! Nobody can find out whether a person exists: the response and the work are the same. The work is counted, because durations vary.

use sqlx::PgPool;
use time::Duration;
use web::admission::Limit;
use web::admission::mails::MAILS_FROM;
use web::admission::passwords::{SIGN_IN, SIGN_IN_FROM, SIGN_IN_OF_PERSON};
use web::domain::role::Role;
use web::domain::subject::Subject;

use crate::browser::Page;
use crate::full_account::person_id;
use crate::second_factor::turn_on;
use crate::support::{ADA, BOB, PASSWORD, Site};
use crate::work::{Work, counted};

const NOBODY: &str = "eve@evil.example";

/// The response to a form from a new browser, without the parts that always vary, and the numbers of statements and hashes.
pub(crate) async fn observed(
    site: &Site,
    path: &str,
    fields: &[(&str, &str)],
) -> (String, u32, u32) {
    let mut browser = site.browser();
    let (page, done): (Page, Work) = counted(browser.post(path, fields)).await;
    let mut headers = page.headers.clone();
    for own in ["x-request-id", "content-length"] {
        headers.remove(own);
    }
    let mut text = page.text;
    for (_, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        text = text.replace(value, "…");
    }
    (format!("{} {headers:?} {text}", page.status), done.statements, done.hashes)
}

/// A site with a person, and a person with a second factor. `NOBODY` is neither.
async fn people(pool: PgPool) -> Site {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.person(BOB).await;
    let mut browser = site.signed_in(ADA).await;
    turn_on(&site, &mut browser).await;
    // The sign-ins above are then older than the window of fifteen minutes.
    site.clock.advance(Duration::minutes(16));
    site
}

#[testing::database_test(web::MIGRATOR)]
async fn sign_up_and_reset_do_the_same_for_everybody(pool: PgPool) {
    let site = people(pool).await;
    for path in ["/sign-up", "/reset"] {
        // More often than the limit of mails to an address.
        for _ in 0..7 {
            let nobody = observed(&site, path, &[("email", NOBODY)]).await;
            assert!(nobody.0.contains("Check your e-mail"), "{nobody:?}");
            assert!(nobody.1 > 0, "statements are counted");
            for person in [ADA, BOB] {
                let known = observed(&site, path, &[("email", person)]).await;
                assert_eq!(known, nobody, "{path} {person}");
            }
        }
        site.clock.advance(Duration::hours(2));
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn sign_in_does_the_same_for_everybody(pool: PgPool) {
    let site = people(pool).await;
    for wrong in
        ["wrong", "", "another lorry teapot nine", &"x".repeat(10_000)].iter().cycle().take(12)
    {
        let of = async |email| {
            let fields = [("email", email), ("password", *wrong), ("next", "/you")];
            observed(&site, "/sign-in", &fields).await
        };
        let nobody = of(NOBODY).await;
        assert_eq!(nobody.2, 1, "hashes are counted");
        for person in [ADA, BOB] {
            assert_eq!(of(person).await, nobody, "{person}");
        }
        // Input that is not an address causes the same work.
        let odd = of("no address").await;
        assert_eq!((odd.1, odd.2), (nobody.1, nobody.2));
    }
}

/// Also from a network where the person is signed in, and with the right password.
#[testing::database_test(web::MIGRATOR)]
async fn sign_in_beyond_any_limit_does_the_same_for_everybody(pool: PgPool) {
    let site = people(pool).await;
    let network = site.client(&site.browser()).network();
    let fields = |email| [("email", email), ("password", PASSWORD)];
    let mut observations = Vec::new();
    site.signed_in(BOB).await;
    let of = |limit: Limit, subject| [BOB, NOBODY].map(|it| limit.count(subject).of_address(it));
    let from = SIGN_IN_FROM.count(Subject::Network(network));
    for counts in [
        of(SIGN_IN_OF_PERSON, Subject::Anyone),
        of(SIGN_IN, Subject::Network(network)),
        [from.clone(), from],
    ] {
        for count in &counts {
            site.use_up(count.clone()).await;
        }
        for email in [BOB, NOBODY] {
            observations.push(observed(&site, "/sign-in", &fields(email)).await);
        }
        let [.., person, nobody] = &observations[..] else { unreachable!() };
        assert!(person.0.starts_with("422"), "{person:?}");
        assert_eq!((person, person.2), (nobody, 1), "{counts:?}");
        site.clock.advance(Duration::minutes(15));
    }
    let other = [("email", BOB), ("password", "another lorry teapot nine")];
    let within = observed(&site, "/sign-in", &other).await;
    assert!(observations.iter().all(|it| it.0 == within.0), "{observations:?} {within:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn mails_beyond_the_limit_of_a_network_do_the_same_for_everybody(pool: PgPool) {
    let site = people(pool).await;
    let network = site.client(&site.browser()).network();
    for path in ["/sign-up", "/reset"] {
        site.use_up(MAILS_FROM.count(Subject::Network(network))).await;
        for _ in 0..2 {
            let nobody = observed(&site, path, &[("email", NOBODY)]).await;
            assert!(nobody.0.starts_with("200") && nobody.0.contains("Many emails"), "{nobody:?}");
            for person in [ADA, BOB] {
                assert_eq!(observed(&site, path, &[("email", person)]).await, nobody, "{path}");
            }
        }
        site.clock.advance(Duration::HOUR);
    }
    // Each person has got a mail an hour, and nobody else has.
    let recipients = site.mails().await.into_iter().map(|(recipient, ..)| recipient);
    let recipients: Vec<String> = recipients.filter(|it| it != NOBODY).collect();
    let of = |person| recipients.iter().filter(|it| *it == person).count();
    assert_eq!((of(BOB), recipients.len()), (2, of(ADA) + of(BOB)));
    assert!(site.mails().await.iter().all(|(recipient, ..)| recipient != NOBODY));
}

#[testing::database_test(web::MIGRATOR)]
async fn an_invitation_and_a_new_address_reveal_no_person(pool: PgPool) {
    let site = people(pool).await;
    let account = {
        let person = person_id(&site.pool, BOB).await;
        site.account(person.parse().unwrap(), Role::Owner).await
    };
    let mut owner = site.signed_in(BOB).await;
    let team = format!("/accounts/{account}/team");
    let mut answers = Vec::new();
    for email in [ADA, NOBODY] {
        let sent = owner.invite(account, email, "editor").await;
        let (status, to) = (sent.status, sent.location().to_owned());
        let fields = [("email", email), ("password", PASSWORD)];
        let asked = owner.post("/you/email", &fields).await;
        answers.push((status, to, asked.status, asked.location().to_owned()));
    }
    assert_eq!(answers[0], answers[1]);
    // The team page shows both invitations alike.
    let page = owner.get(&team).await.text;
    let shown: Vec<String> = page
        .split("<li>")
        .filter(|it| it.contains("withdraw"))
        .map(|it| it.split('\n').next().unwrap().to_owned())
        .map(|it| it.replace(ADA, "…").replace(NOBODY, "…"))
        .collect();
    assert_eq!(shown.len(), 2, "{page}");
    assert_eq!(shown[0], shown[1]);
}
