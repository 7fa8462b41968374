//! The job that ends second factors.

use sqlx::PgPool;
use time::Duration;
use web::jobs::factor_ends;
use web::store;
use web::store::people::{self, NewSecret};

use crate::support::{ADA, BOB, START, Site};

const CAROL: &str = "carol@studio.example";

async fn has_factor(site: &Site, email: &str) -> bool {
    let person = people::by_email(&site.pool, email).await.unwrap();
    person.unwrap().totp_secret.is_some()
}

#[testing::database_test(web::MIGRATOR)]
#[expect(
    clippy::disallowed_methods,
    reason = "a constraint lets two people fail"
)]
async fn one_that_fails_does_not_stop_the_others_and_is_reported(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut connection = site.pool.acquire().await.unwrap();
    // Those that fail come first.
    let (early, earlier) = (START - Duration::MINUTE, START - Duration::HOUR);
    for (email, ends_at) in [(CAROL, earlier), (ADA, early), (BOB, START)] {
        site.person(email).await;
        let person = people::by_email(&site.pool, email).await.unwrap().unwrap();
        let secret = Some(NewSecret {
            sealed: b"sealed",
            step: 0,
        });
        let set = people::set_totp(&mut connection, &person, secret, &[]).await;
        assert!(set.unwrap().is_some());
        let person = people::by_email(&site.pool, email).await.unwrap().unwrap();
        let inserted = store::factor_ends::insert(&site.pool, &person, ends_at, None).await;
        inserted.unwrap();
    }
    let poison = "alter table web.activity add constraint poison
         check (email not in ('ada@studio.example', 'carol@studio.example'))";
    sqlx::raw_sql(poison).execute(&site.pool).await.unwrap();
    let run = async || factor_ends::run(&site.app, site.clock.now()).await;
    let failed = run().await.unwrap_err().to_string();
    for email in [CAROL, ADA] {
        let person = people::by_email(&site.pool, email).await.unwrap().unwrap();
        assert!(
            failed.contains(&format!("person {}: ", person.id)),
            "{failed}"
        );
        assert!(has_factor(&site, email).await);
    }
    assert!(!has_factor(&site, BOB).await);

    // The next run ends them, once the cause is gone.
    let cure = "alter table web.activity drop constraint poison";
    sqlx::raw_sql(cure).execute(&site.pool).await.unwrap();
    assert_eq!(run().await.unwrap(), 2);
    assert!(!has_factor(&site, ADA).await);
    assert!(!has_factor(&site, CAROL).await);
    assert_eq!(run().await.unwrap(), 0);
}
