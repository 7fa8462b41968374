//! The URL of an endpoint: the check when it is entered, and a URL that is no longer allowed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use contracts::webhook::v1::{self as proto, DeliveryState};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kit::Fault;
use sqlx::PgPool;
use uuid::Uuid;
use webhook::http::resolver::{Resolve, ResolveError};

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, Webhook, replica_with, start};

pub(crate) async fn change_url(
    service: &Webhook,
    id: Uuid,
    url: &str,
) -> Result<proto::Endpoint, Fault> {
    let request = proto::ChangeEndpointRequest {
        account_id: ADA.to_string(),
        id: id.to_string(),
        url: Some(url.to_owned()),
        ..proto::ChangeEndpointRequest::default()
    };
    let changed = service.endpoints.clone().change_endpoint(request).await?;
    Ok(changed.into_inner().endpoint.unwrap())
}

#[testing::database_test(webhook::MIGRATOR)]
async fn an_address_that_redirects_is_refused(pool: PgPool) {
    let moved = Receiver::start(Behaviour::Redirect).await;
    let good = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&moved, &good]).await;
    let refused = service.add(ADA, &moved.url(), &["tip.paid"]).await.unwrap_err();
    let sentence = &refused.fields["url"];
    assert!(sentence.contains("308"), "{sentence}");
    assert!(sentence.contains("https://moved.example/hook"), "{sentence}");

    let endpoint = service.added(ADA, &good.url(), &["tip.paid"]).await;
    let refused = change_url(&service, endpoint, &moved.url()).await;
    assert!(refused.unwrap_err().fields.contains_key("url"));
    assert_eq!(service.endpoint(ADA, endpoint).await.url, good.url());
}

#[testing::database_test(webhook::MIGRATOR)]
async fn the_result_of_the_address_check_is_shown(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await;
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let added = service.endpoint(ADA, endpoint).await;
    assert_eq!((added.address_status, &*added.address_problem), (Some(405), ""));
    assert_eq!(receiver.received().len(), 0);

    let nowhere = "https://hooks.example/";
    let changed = change_url(&service, endpoint, nowhere).await.unwrap();
    let problem = &changed.address_problem;
    assert!(problem.contains("not resolve to a public address"), "{problem}");
    assert_eq!(changed.address_status, None);

    // The same URL is not checked again.
    let back = change_url(&service, endpoint, &receiver.url()).await;
    assert_eq!(back.unwrap().address_status, Some(405));
    receiver.set_behaviour(Behaviour::Redirect);
    let same = change_url(&service, endpoint, &receiver.url()).await;
    assert_eq!(same.unwrap().address_status, Some(405));
}

#[testing::database_test(webhook::MIGRATOR)]
async fn an_address_that_is_no_longer_allowed_fails_and_says_so(pool: PgPool) {
    let service = start(pool.clone(), &[]).await.delivering();
    let endpoint = service.added(ADA, "https://hooks.example/", &["tip.paid"]).await;
    let forbidden = sqlx::query!("update webhook.endpoint set url = 'https://kubernetes.default/'");
    forbidden.execute(&pool).await.unwrap();
    service.ping(ADA, endpoint).await;
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Waiting);
    let reason = delivery.last_attempt.unwrap().reason;
    assert!(reason.contains("local name"), "{reason}");
}

/// A resolver whose name servers fail.
#[derive(Debug)]
struct Unanswered;

impl Resolve for Unanswered {
    fn resolve<'a>(
        &'a self,
        _: &'a str,
        _: Duration,
    ) -> BoxFuture<'a, Result<Vec<SocketAddr>, ResolveError>> {
        async { Err(ResolveError::Unanswered("SERVFAIL".to_owned())) }.boxed()
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_failed_look_up_counts_as_an_attempt(pool: PgPool) {
    let first = start(pool.clone(), &[]).await;
    let service =
        replica_with(pool, first.clock.clone(), &[], Arc::new(Unanswered)).await.delivering();
    let endpoint = service.added(ADA, "https://hooks.example/", &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    let delivery = service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(delivery.state(), DeliveryState::Waiting);
    let reason = delivery.last_attempt.unwrap().reason;
    assert_eq!(reason, "could not resolve the name hooks.example");
}
