//! Versions of the rates: how many are in memory at once.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use kit::{Code, Fault};
use sqlx::PgPool;

use crate::support::start;

/// So many that their rates do not fit into the buffers of a connection.
const CURRENCIES: usize = 100;

#[testing::database_test(economy::MIGRATOR)]
async fn of_versions_that_are_read_slowly_seven_are_held(pool: PgPool) {
    let economy = start(pool).await;
    for n in 0..CURRENCIES {
        economy.listed(&format!("game-{n}"), 10).await;
    }
    let now = proto::ListRatesRequest {
        mode: Mode::Live.into(),
        ..proto::ListRatesRequest::default()
    };
    let mut readers = Vec::new();
    for n in 0..7 {
        let answer = economy.rates.clone().list_rates(now.clone()).await;
        readers.push(answer.unwrap().into_inner());
        // Another version.
        economy.listed(&format!("later-{n}"), 10).await;
    }
    let late = economy.rates.clone().list_rates(now.clone()).await;
    assert_eq!(Fault::from(late.unwrap_err()).code, Code::Unavailable);
    // The others are read to their ends.
    for mut reader in readers {
        while reader.message().await.unwrap().is_some() {}
    }
    while let Err(status) = economy.rates.clone().list_rates(now.clone()).await {
        assert_eq!(Fault::from(status).code, Code::Unavailable);
    }
}
