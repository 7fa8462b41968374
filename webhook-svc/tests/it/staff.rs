//! What staff see of an account.

use contracts::webhook::v1 as proto;
use sqlx::PgPool;

use crate::support::{ADA, BOB, start};

#[testing::database_test(webhook::MIGRATOR)]
async fn staff_see_how_many_endpoints_an_account_has(pool: PgPool) {
    let service = start(pool, &[]).await;
    service.added(ADA, "https://hooks.example/", &["tip.paid"]).await;
    for (account, endpoints) in [(ADA, 1), (BOB, 0)] {
        let request = proto::CountEndpointsRequest { account_id: account.to_string() };
        let counted = service.staff.clone().count_endpoints(request).await;
        assert_eq!(counted.unwrap().into_inner().endpoints, endpoints);
    }
}
