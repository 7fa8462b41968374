//! Rate limits of endpoints.

use std::time::{Duration, Instant};

use contracts::listings::v1::State::Published;
use contracts::webhook::v1 as proto;
use sqlx::PgPool;

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, TAKEN, game, start};

#[sqlx::test(migrator = "webhook::MIGRATOR")]
async fn a_rate_limit_holds_deliveries_back(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool, &[&receiver]).await.delivering();
    let request = proto::AddEndpointRequest {
        account_id: ADA.to_string(),
        url: receiver.url(),
        events: vec!["listing.updated".to_owned()],
        rate_limit: Some(5),
    };
    let added = service.endpoints.clone().add_endpoint(request).await;
    let endpoint = added.unwrap().into_inner().endpoint.unwrap();
    assert_eq!(endpoint.rate_limit, Some(5));

    let begun = Instant::now();
    let changes = [1, 2, 3, 4, 5, 6].map(|seq| game(seq, "updated", Published));
    service.listings(&changes, TAKEN).await;
    receiver.wait_for(6).await;
    // Six deliveries have five intervals of a fifth of a second. A slow machine makes them longer only.
    assert!(begun.elapsed() >= Duration::from_secs(1));
}
