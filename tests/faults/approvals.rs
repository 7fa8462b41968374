//! Kills each replica of listings-svc with SIGKILL during many approvals: no approval is lost or made twice.

use std::sync::atomic::{AtomicUsize, Ordering};

use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use contracts::listings::v1::{DecideItem, DecideRequest, Decision};
use e2e::{Fleet, SmallFleet, Staff, dial, eventually, named};
use futures::future::join_all;
use kit::rpc::client::Client as Channel;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};

/// The number of accounts. Each has as many pending events as an account may have.
const ACCOUNTS: usize = 6;
const EACH: usize = 10;

/// Submits events of new accounts, which wait for review; returns their slugs.
async fn submit(fleet: &Fleet) -> Vec<String> {
    let mut staff = Staff::new(fleet).await;
    let mut slugs = Vec::new();
    for account in 0..ACCOUNTS {
        let owner = staff.account("unlimited").await;
        let client = staff.writer(fleet, &owner, "live").await;
        for n in 0..EACH {
            let body = json!({
                "title": format!("Approval {account} {n}"), "kind": "jam", "starts_at": "2030-01-01", "country_code": "TD", "city": "Far",
            });
            let answer = client.post("/events", &body).await;
            assert_eq!(answer.status, 201, "{}", answer.text);
            slugs.push(answer.data()["slug"].as_str().unwrap().to_owned());
        }
    }
    slugs
}

async fn channels(fleet: &Fleet) -> Vec<(i32, StaffReviewServiceClient<Channel>)> {
    let token = fleet.staff_token.clone().into();
    let dialled = fleet.replicas("listings-svc").map(async |replica| {
        let channel = dial(&replica.grpc, &token).await;
        (replica.pid.unwrap(), StaffReviewServiceClient::new(channel))
    });
    join_all(dialled).await
}

/// Takes most of a minute: a fleet with two replicas starts, and the launcher restarts each killed process.
#[tokio::test]
async fn an_approval_is_made_once_whichever_replica_is_killed() {
    let mut small = SmallFleet::patient();
    let fleet = small.up_with(&["--replicas", "listings-svc=2"]).await;
    let slugs = submit(&fleet).await;
    let replicas = channels(&fleet).await;
    let approved = AtomicUsize::new(0);
    let approvals = slugs.iter().enumerate().map(async |(place, slug)| {
        let (_, replica) = &replicas[place % replicas.len()];
        let what = format!("{slug} is approved");
        eventually(&what, async || {
            let item = DecideItem { name: Some(named("event", slug)), revision: Some(1) };
            let request = DecideRequest {
                decision: Decision::Approve.into(),
                items: vec![item],
                reason: String::new(),
            };
            let answer = replica.clone().decide(request).await.ok()?;
            (answer.into_inner().results)
                .iter()
                .all(|result| result.problem.is_empty())
                .then_some(())
        })
        .await;
        approved.fetch_add(1, Ordering::Relaxed);
    });
    let killing = async {
        for ((pid, _), after) in replicas.iter().zip([2, ACCOUNTS * EACH / 2]) {
            eventually("some are approved", async || {
                (approved.load(Ordering::Relaxed) > after).then_some(())
            })
            .await;
            kill(Pid::from_raw(*pid), Signal::SIGKILL).unwrap();
        }
    };
    futures::join!(join_all(approvals), killing);
    shown_and_kept_once(&fleet, &slugs).await;
}

#[expect(clippy::disallowed_methods, reason = "the tests have no schema of their own")]
async fn shown_and_kept_once(fleet: &Fleet, slugs: &[String]) {
    let client = Staff::new(fleet).await.caller(fleet, "unlimited").await;
    let shown = slugs.iter().map(async |slug| {
        let path = format!("/events/{slug}");
        let look = async || client.get(&path).await.status.is_success().then_some(());
        eventually(&path, look).await;
    });
    join_all(shown).await;
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let kept: Vec<(String, i64, i64, i64, i64)> = sqlx::query_as(
        "select name, revision,
             (select count(*) from listings.revision where revision.id = event.id),
             (select count(*) from listings.audit where action = 'approve' and audit.name = event.name),
             (select count(*) from listings.feed where entity = 'event' and feed.id = event.id::text and feed.event = 'published')
         from listings.listing as event where entity = 'event' and mode = 'live' and name = any($1) order by name",
    )
    .bind(slugs)
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert_eq!(kept.len(), slugs.len());
    for (slug, revision, revisions, audited, announced) in kept {
        assert_eq!((revision, revisions, audited, announced), (2, 2, 1, 1), "{slug}");
    }
}
