//! Exchanges: their tokens, and what each of them reaches.

use contracts::economy::v1 as proto;
use kit::{Code, Fault};
use sqlx::PgPool;

use crate::support::{ACCOUNT, Economy, start};

async fn register(economy: &Economy, name: &str) -> Result<String, Fault> {
    let request = proto::CreateExchangeRequest {
        name: name.to_owned(),
    };
    let answer = economy.staff.clone().create_exchange(request).await?;
    Ok(answer.into_inner().token)
}

fn swap(id: &str, gave: u64) -> proto::RecordSwapRequest {
    let swap = proto::Swap {
        id: id.to_owned(),
        party: "ada".to_owned(),
        from: "bao".to_owned(),
        to: "kora".to_owned(),
        gave,
        got: 2 * gave,
        at: None,
    };
    proto::RecordSwapRequest { swap: Some(swap) }
}

/// Records a swap with this token; returns whether it was recorded before.
async fn record(economy: &Economy, token: &str, id: &str, gave: u64) -> Result<bool, Fault> {
    let mut exchange = economy.exchange_with_token(token);
    let answer = exchange.record_swap(swap(id, gave)).await?;
    Ok(answer.into_inner().replayed)
}

#[testing::database_test(economy::MIGRATOR)]
async fn an_exchange_has_a_token_of_its_own_until_it_is_revoked(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    for bad in ["", "Two words", "a\u{0}b"] {
        assert_eq!(
            register(&economy, bad).await.unwrap_err().code,
            Code::Invalid
        );
    }
    let token = register(&economy, "cowrie").await.unwrap();
    let again = register(&economy, "cowrie").await.unwrap_err();
    assert!(again.fields.contains_key("name"), "{again}");
    assert!(!record(&economy, &token, "1", 5).await.unwrap());
    // Neither a stranger nor a service of the fleet is an exchange, and an exchange is no service of the fleet.
    let fleet = testing::fleet_token();
    for other in ["exchange_of-nobody", ACCOUNT, fleet.expose()] {
        let fault = record(&economy, other, "2", 5).await.unwrap_err();
        assert_eq!(fault.code, Code::InvalidKey, "{other}");
    }

    let request = proto::RevokeExchangeRequest {
        name: "cowrie".to_owned(),
    };
    for _ in 0..2 {
        let answer = economy.staff.clone().revoke_exchange(request.clone()).await;
        let exchange = answer.unwrap().into_inner().exchange.unwrap();
        assert!(exchange.revoked_at.is_some());
    }
    let fault = record(&economy, &token, "1", 5).await.unwrap_err();
    assert_eq!(fault.code, Code::InvalidKey);
    let nobody = proto::RevokeExchangeRequest {
        name: "nobody".to_owned(),
    };
    let refused = economy.staff.clone().revoke_exchange(nobody).await;
    assert_eq!(Fault::from(refused.unwrap_err()).code, Code::NotFound);
    let request = contracts::common::v1::ListAuditRequest {
        entity: "exchange".to_owned(),
        ..contracts::common::v1::ListAuditRequest::default()
    };
    let entries = economy.staff.clone().list_audit(request).await;
    let entries = entries.unwrap().into_inner().entries;
    let actions: Vec<&str> = entries.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["revoke_exchange", "create_exchange"]);
}

#[testing::database_test(economy::MIGRATOR)]
async fn ids_and_accounts_of_an_exchange_are_its_own(pool: PgPool) {
    let economy = start(pool).await;
    economy.currency("bao").await;
    economy.currency("kora").await;
    let tip = serde_json::json!({"player": "ada", "amount": 9});
    economy.tip("bao", &tip, "").await.unwrap();
    let (one, other) = (
        register(&economy, "one").await.unwrap(),
        register(&economy, "other").await.unwrap(),
    );
    assert!(!record(&economy, &one, "1", 5).await.unwrap());
    assert!(!record(&economy, &other, "1", 7).await.unwrap());
    assert!(record(&economy, &one, "1", 5).await.unwrap());
    let fault = record(&economy, &one, "1", 6).await.unwrap_err();
    assert_eq!(fault.code, Code::IdempotencyMismatch);

    let request = || proto::ListBalancesRequest {
        game: "bao".to_owned(),
        page: None,
    };
    let own = economy
        .exchange_with_token(&one)
        .list_balances(request())
        .await;
    let own: Vec<(String, String)> = (own.unwrap().into_inner().balances.into_iter())
        .map(|balance| (balance.kind, balance.units))
        .collect();
    let side = |kind: &str, units: &str| (kind.to_owned(), units.to_owned());
    assert_eq!(own, [side("exchange", "5"), side("party", "-5")]);
    let all = economy.staff.clone().list_account_balances(request()).await;
    let all: Vec<(String, String)> = (all.unwrap().into_inner().balances.into_iter())
        .map(|balance| (balance.exchange, balance.units))
        .collect();
    let expected = [
        side("", "9"),
        side("", "-9"),
        side("one", "5"),
        side("one", "-5"),
        side("other", "7"),
        side("other", "-7"),
    ];
    assert_eq!(all, expected);
    let listed = proto::ListSwapsRequest::default();
    let listed = economy.staff.clone().list_swaps(listed).await;
    let mut listed: Vec<(String, String)> = (listed.unwrap().into_inner().swaps.into_iter())
        .map(|booked| (booked.exchange, booked.swap.unwrap().id))
        .collect();
    listed.sort();
    assert_eq!(listed, [side("one", "1"), side("other", "1")]);
}

/// The names of parties are an exchange's own: a party of one is another person than the party of the same name of the other.
#[testing::database_test(economy::MIGRATOR)]
async fn parties_of_two_exchanges_are_two_in_a_market(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    economy.listed("kora", 10).await;
    let (one, other) = (
        register(&economy, "one").await.unwrap(),
        register(&economy, "other").await.unwrap(),
    );
    let source = async || economy.rate("bao", "kora").await.source;
    for id in ["1", "2", "3"] {
        assert!(!record(&economy, &one, id, 5).await.unwrap());
    }
    assert_eq!(source().await, "worked", "one party");
    assert!(!record(&economy, &other, "1", 5).await.unwrap());
    assert_eq!(source().await, "market");
}
