//! Secrets: shown once, encrypted at rest, rotated with an overlap.

use std::slice;

use contracts::webhook::v1::{self as proto, DeliveryState};
use kit::key_ring::KeyRing;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;
use webhook::jobs::reencrypt_secrets;
use webhook::key_ring::open_secret;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, EVE, START, Webhook, start};

const OLD: &str = "a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const NEW: &str = "b:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

fn keys(keys: &[&str]) -> KeyRing {
    keys.join(",").parse().unwrap()
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_new_secret_signs_with_the_old_one_for_a_day_and_then_alone(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let added = service.add(ADA, &receiver.url(), &["tip.paid"]).await.unwrap();
    let endpoint = added.endpoint.unwrap().id;
    let id: uuid::Uuid = endpoint.parse().unwrap();
    assert!(added.secret.starts_with("svc_whsec_"));
    let rotate = proto::RotateSecretRequest {
        account_id: ADA.to_string(),
        id: endpoint.clone(),
        ..proto::RotateSecretRequest::default()
    };
    let rotated = service.endpoints.clone().rotate_secret(rotate).await.unwrap().into_inner();
    assert_ne!(rotated.secret, added.secret);
    let until = rotated.endpoint.unwrap().rotating_until;
    assert_eq!(until, Some(kit::api::timestamp::encode(START + Duration::DAY)));

    service.ping(ADA, id).await;
    let first = receiver.wait_for(1).await.remove(0);
    assert!(first.headers.contains_key("x-service-signature-next"));
    service.clock.advance(Duration::DAY);
    service.ping(ADA, id).await;
    let second = receiver.wait_for(2).await.remove(1);
    assert!(!second.headers.contains_key("x-service-signature-next"));
    assert_eq!(service.endpoint(ADA, id).await.rotating_until, None);
}

/// Rotates the secret of an endpoint of Ada, as a person who has seen this new secret wait.
async fn rotate(
    service: &Webhook,
    endpoint: Uuid,
    form: u128,
    read: &str,
) -> Result<(proto::Endpoint, String), Fault> {
    let request = proto::RotateSecretRequest {
        account_id: ADA.to_string(),
        id: endpoint.to_string(),
        form_id: Uuid::from_u128(form).to_string(),
        person_id: Uuid::from_u128(7).to_string(),
        read_next_secret_id: read.to_owned(),
    };
    let rotated = service.endpoints.clone().rotate_secret(request).await?.into_inner();
    Ok((rotated.endpoint.unwrap(), rotated.secret))
}

async fn switch(service: &Webhook, endpoint: Uuid, secret: &str) -> Result<proto::Endpoint, Fault> {
    let request = proto::SwitchSecretRequest {
        account_id: ADA.to_string(),
        id: endpoint.to_string(),
        secret_id: secret.to_owned(),
    };
    let switched = service.endpoints.clone().switch_secret(request).await?.into_inner();
    Ok(switched.endpoint.unwrap())
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_new_secret_that_waits_is_replaced_only_if_it_was_seen(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, "https://hooks.example/", &["tip.paid"]).await;
    let waiting = async || service.endpoint(ADA, endpoint).await.next_secret_id;
    assert_eq!(waiting().await, "");
    // Two people have opened the page, and both create a secret.
    let (one, two) =
        futures::join!(rotate(&service, endpoint, 1, ""), rotate(&service, endpoint, 2, ""));
    let (created, refused): (Vec<_>, Vec<_>) = [one, two].into_iter().partition(Result::is_ok);
    assert_eq!((created.len(), refused.len()), (1, 1));
    let refused = refused.into_iter().next().unwrap().unwrap_err();
    assert_eq!(refused.code, Code::PreconditionFailed);
    let (first, _) = created.into_iter().next().unwrap().unwrap();
    assert_eq!(waiting().await, first.next_secret_id);
    // A person who knows that it waits replaces it. A form that is sent again makes no other.
    let (second, secret) = rotate(&service, endpoint, 3, &first.next_secret_id).await.unwrap();
    assert_ne!(second.next_secret_id, first.next_secret_id);
    let again = rotate(&service, endpoint, 3, &first.next_secret_id).await.unwrap();
    assert_eq!((again.0.next_secret_id, again.1), (second.next_secret_id.clone(), secret));
    for form in [1, 2, 4] {
        for read in ["", &first.next_secret_id] {
            let refused = rotate(&service, endpoint, form, read).await.unwrap_err();
            assert_eq!(refused.code, Code::PreconditionFailed, "{form} {read}");
        }
    }
    assert_eq!(waiting().await, second.next_secret_id);
    // Once it signs alone, it does not wait, whether the job has moved it or not.
    service.clock.advance(Duration::DAY);
    assert_eq!(waiting().await, "");
    let refused = rotate(&service, endpoint, 5, &second.next_secret_id).await.unwrap_err();
    assert_eq!(refused.code, Code::PreconditionFailed);
    rotate(&service, endpoint, 5, "").await.unwrap();
    let unknown = rotate(&service, endpoint, 6, "secret 1").await.unwrap_err();
    assert!(unknown.fields.contains_key("read_next_secret_id"), "{unknown:?}");
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_repeated_switch_changes_nothing(pool: PgPool) {
    let service = start(pool, &[]).await;
    let endpoint = service.added(ADA, "https://hooks.example/", &["tip.paid"]).await;
    let (first, _) = rotate(&service, endpoint, 1, "").await.unwrap();
    let first = first.next_secret_id;
    // Also of another person, at once, and after the next rotation has begun.
    let (one, two) =
        futures::join!(switch(&service, endpoint, &first), switch(&service, endpoint, &first));
    assert_eq!(one.unwrap(), two.unwrap());
    let (second, _) = rotate(&service, endpoint, 2, "").await.unwrap();
    let second = second.next_secret_id;
    let again = switch(&service, endpoint, &first).await.unwrap();
    assert_eq!(again.next_secret_id, second, "the new one waits");
    // A secret that was replaced before anybody switched to it is not switched to.
    let (third, _) = rotate(&service, endpoint, 3, &second).await.unwrap();
    let refused = switch(&service, endpoint, &second).await.unwrap_err();
    assert_eq!(refused.code, Code::PreconditionFailed);
    // The day is over: the form of the page from before switches to what signs already.
    service.clock.advance(Duration::DAY);
    let third = third.next_secret_id;
    for _ in 0..2 {
        let switched = switch(&service, endpoint, &third).await.unwrap();
        assert_eq!(switched.next_secret_id, "");
    }
    let refused = switch(&service, endpoint, &first).await.unwrap_err();
    assert_eq!(refused.code, Code::PreconditionFailed);
    let unknown = switch(&service, endpoint, "").await.unwrap_err();
    assert!(unknown.fields.contains_key("secret_id"), "{unknown:?}");
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_form_that_is_sent_twice_makes_one_secret_and_shows_it_for_ten_minutes(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let (form, ada) = (Uuid::from_u128(1), Uuid::from_u128(2).to_string());
    let add = async |person: &str| {
        let request = proto::AddEndpointRequest {
            account_id: EVE.to_string(),
            url: "https://hooks.example/".to_owned(),
            events: vec!["tip.paid".to_owned()],
            form_id: form.to_string(),
            person_id: person.to_owned(),
        };
        let added = service.endpoints.clone().add_endpoint(request).await.unwrap().into_inner();
        (added.endpoint.unwrap(), added.secret)
    };
    // The plan has one endpoint: the form finds its own.
    let ((added, secret), (again, same)) = futures::join!(add(&ada), add(&ada));
    assert_eq!((&again.id, &same), (&added.id, &secret));
    assert!(secret.starts_with("svc_whsec_"));
    assert_eq!(added.seen_by, slice::from_ref(&ada));
    let bob = Uuid::from_u128(3).to_string();
    for nobody in [bob.as_str(), ""] {
        assert_eq!(add(nobody).await.1, "", "{nobody}");
    }
    let rotate = async |form: u128, person: &str| {
        let request = proto::RotateSecretRequest {
            account_id: EVE.to_string(),
            id: added.id.clone(),
            form_id: Uuid::from_u128(form).to_string(),
            person_id: person.to_owned(),
            read_next_secret_id: String::new(),
        };
        let rotated = service.endpoints.clone().rotate_secret(request).await.unwrap().into_inner();
        (rotated.endpoint.unwrap(), rotated.secret)
    };
    let ((rotated, next), (_, same)) = futures::join!(rotate(4, &bob), rotate(4, &bob));
    assert_eq!(next, same);
    assert_ne!(next, secret);
    // Both secrets sign.
    assert_eq!(rotated.seen_by, [ada.clone(), bob.clone()]);
    assert_eq!(rotate(4, &ada).await.1, "");
    service.clock.advance(Duration::minutes(10));
    assert_eq!(rotate(4, &bob).await.1, "");
    assert_eq!(add(&ada).await.1, "");
    // Then the new one signs alone, also once the job has moved it.
    service.clock.advance(Duration::DAY);
    let id = added.id.parse().unwrap();
    assert_eq!(service.endpoint(EVE, id).await.seen_by, slice::from_ref(&bob));
    let now = service.clock.now();
    let key_ring = keys(&[OLD]);
    reencrypt_secrets(&pool, &key_ring, now).await.unwrap();
    assert_eq!(service.endpoint(EVE, id).await.seen_by, [bob]);
    let (rotated, _) = rotate(5, &ada).await;
    assert_eq!(rotated.seen_by.len(), 2);
    let request = proto::SwitchSecretRequest {
        account_id: EVE.to_string(),
        id: added.id.clone(),
        secret_id: rotated.next_secret_id,
    };
    service.endpoints.clone().switch_secret(request).await.unwrap();
    assert_eq!(service.endpoint(EVE, id).await.seen_by, slice::from_ref(&ada));
    // The secret that the first form made signs no more.
    assert_eq!(add(&ada).await.1, "");
    assert_eq!(rotate(5, &ada).await.1, "");
}

#[testing::database_test(webhook::MIGRATOR)]
async fn secrets_are_reencrypted_with_the_first_key(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let added = service.add(ADA, "https://hooks.example/", &["tip.paid"]).await.unwrap();
    let stored = async || {
        let endpoint =
            sqlx::query!("select id, secret from webhook.endpoint").fetch_one(&pool).await.unwrap();
        (endpoint.id, endpoint.secret)
    };
    let (id, sealed) = stored().await;
    let text = added.secret.as_bytes();
    assert!(!sealed.windows(text.len()).any(|part| part == text));

    let both = keys(&[NEW, OLD]);
    let now = service.clock.now();
    assert_eq!(reencrypt_secrets(&pool, &both, now).await.unwrap(), 1);
    assert_eq!(reencrypt_secrets(&pool, &both, now).await.unwrap(), 0);
    let only_new = keys(&[NEW]);
    let (_, sealed) = stored().await;
    let opened = open_secret(&only_new, id, &sealed).unwrap();
    assert_eq!(opened.reveal(), added.secret);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_damaged_secret_does_not_stop_the_reencryption_of_others(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    for _ in 0..3 {
        service.added(ADA, "https://hooks.example/", &["tip.paid"]).await;
    }
    let damaged = sqlx::query!(
        "update webhook.endpoint set secret = substr(secret, 1, 20)
         where id = (select id from webhook.endpoint order by id limit 1)"
    );
    damaged.execute(&pool).await.unwrap();
    let both = keys(&[NEW, OLD]);
    let encrypted = reencrypt_secrets(&pool, &both, service.clock.now()).await;
    assert_eq!(encrypted.unwrap(), 2);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn an_attempt_whose_secret_is_unreadable_fails_and_says_so(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let damaged = sqlx::query!("update webhook.endpoint set secret = substr(secret, 1, 20)");
    damaged.execute(&pool).await.unwrap();
    service.ping(ADA, endpoint).await;
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Waiting);
    let reason = delivery.last_attempt.unwrap().reason;
    assert!(reason.contains("make a new secret"), "{reason}");
    assert_eq!(receiver.received().len(), 0);
}
