//! Samples of events, and the check of a receiver.

use contracts::webhook::v1::{self as proto, RuleVerdict};
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, BOB, SITE, Webhook, start};

async fn check(
    service: &Webhook,
    account: Uuid,
    endpoint: Uuid,
) -> Result<Vec<proto::RuleFinding>, Fault> {
    let request = proto::CheckReceiverRequest {
        account_id: account.to_string(),
        endpoint_id: endpoint.to_string(),
    };
    let checked = service.receivers.clone().check_receiver(request).await?;
    Ok(checked.into_inner().findings)
}

fn verdicts(findings: &[proto::RuleFinding]) -> Vec<(u32, RuleVerdict)> {
    let verdict = |finding: &proto::RuleFinding| (finding.rule, finding.verdict());
    findings.iter().map(verdict).collect()
}

#[testing::database_test(webhook::MIGRATOR)]
async fn every_event_has_a_description_and_samples(pool: PgPool) {
    let service = start(pool, &[]).await;
    let request = proto::ListEventTypesRequest {};
    let listed = service.receivers.clone().list_event_types(request).await;
    let listed = listed.unwrap().into_inner().event_types;
    let selectable = listed.iter().filter(|it| it.is_selectable).count();
    assert_eq!((listed.len(), selectable), (5, 4));
    for event_type in listed {
        assert!(event_type.description.ends_with('.'), "{event_type:?}");
        assert!(!event_type.samples.is_empty(), "{event_type:?}");
        for sample in event_type.samples {
            let body: serde_json::Value = serde_json::from_slice(&sample.body).unwrap();
            assert_eq!(body["event"], event_type.name);
            let kind = body["data"]["kind"].as_str().unwrap_or_default();
            assert_eq!(kind, sample.kind);
            let url = body["data"]["url"].as_str();
            assert!(url.is_none_or(|url| url.starts_with(SITE)), "{body}");
        }
    }
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_receiver_that_believes_everything_breaks_two_rules(pool: PgPool) {
    use RuleVerdict::{Failed, Passed};
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await;
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let findings = check(&service, ADA, endpoint).await.unwrap();
    let mut verdicts = verdicts(&findings);
    // The fifth depends on the speed of this machine.
    verdicts.remove(4);
    assert_eq!(
        verdicts,
        [
            (1, Passed),
            (2, Failed),
            (3, Failed),
            (4, Passed),
            (6, Passed)
        ]
    );
    let third = &findings[2];
    assert!(third.reason.contains("200 instead of 400"), "{third:?}");
    let exchange = &third.exchanges[0];
    assert_eq!(
        (exchange.expected_status, exchange.status),
        (400, Some(200))
    );
    assert_eq!(exchange.body.as_ref(), b"not JSON");
    assert_eq!(exchange.answer.as_ref(), b"noted");
    let signature = |header: &&proto::HttpHeader| header.name == "x-service-signature";
    let signature = exchange.headers.iter().find(signature).unwrap();
    assert_eq!(signature.value.len(), 64);

    let sent: usize = findings.iter().map(|finding| finding.exchanges.len()).sum();
    let received = receiver.received();
    assert_eq!(received.len(), sent);
    let events = received
        .iter()
        .map(|it| it.headers["x-service-event"].clone());
    let known = events.filter(|event| event == "ping").count();
    assert_eq!(known, sent - 1);
    // A check is no delivery.
    assert_eq!(service.list(ADA, endpoint).await, []);
    let health = service.endpoint(ADA, endpoint).await.health.unwrap();
    assert_eq!((health.failures, health.last_success_at), (0, None));
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_receiver_that_is_not_there_is_asked_once(pool: PgPool) {
    use RuleVerdict::{Failed, NotChecked};
    let service = start(pool, &[]).await;
    let nowhere = "https://hooks.example/";
    let endpoint = service.added(ADA, nowhere, &["tip.paid"]).await;
    let findings = check(&service, ADA, endpoint).await.unwrap();
    let expected =
        [1, 2, 3, 4, 5, 6].map(|rule| (rule, if rule == 5 { Failed } else { NotChecked }));
    assert_eq!(verdicts(&findings), expected);
    let fifth = &findings[4];
    assert!(
        fifth.reason.contains("not resolve to a public address"),
        "{fifth:?}"
    );
    assert_eq!(fifth.exchanges.len(), 1);
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_redirect_is_shown_and_not_followed(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await;
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    receiver.set_behaviour(Behaviour::Redirect);
    let findings = check(&service, ADA, endpoint).await.unwrap();
    let exchange = &findings[4].exchanges[0];
    assert_eq!(exchange.status, Some(308));
    assert!(exchange.reason.contains("moved.example"), "{exchange:?}");
}

#[testing::database_test(webhook::MIGRATOR)]
async fn checks_are_of_own_endpoints_and_not_too_often(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(410)).await;
    let service = start(pool, &[&receiver]).await;
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    let stranger = check(&service, BOB, endpoint).await.unwrap_err();
    assert_eq!(stranger.code, Code::NotFound);
    assert_eq!(receiver.received().len(), 0);

    check(&service, ADA, endpoint).await.unwrap();
    // A 410 to a check does not switch the endpoint off.
    let state = service.endpoint(ADA, endpoint).await.state();
    assert_eq!(state, proto::EndpointState::On);
    let again = check(&service, ADA, endpoint).await.unwrap_err();
    assert_eq!((again.code, again.retry_after), (Code::TooSoon, Some(10)));
    service.clock.advance(Duration::seconds(10));
    check(&service, ADA, endpoint).await.unwrap();
}
