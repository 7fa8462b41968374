//! A fleet keeps its data and keys through `down` and `up`.

use e2e::{Client, SmallFleet};

#[tokio::test]
async fn data_and_keys_are_there_after_down_and_up() {
    let mut small = SmallFleet::patient();
    let fleet = small.up().await;
    let key = fleet.account("partner").keys.live.clone();
    let games = Client::new(&fleet, &key).all("/games", 100).await;
    assert!(games.len() >= 91);
    let again = small.launcher("up", &[]).await;
    assert!(again.contains("is running"), "{again}");
    small.down().await;
    assert!(small.fleet().services.is_empty(), "nothing runs");

    let fleet = small.up().await;
    assert_eq!(fleet.account("partner").keys.live, key);
    let client = Client::new(&fleet, &key);
    assert_eq!(client.all("/games", 100).await, games);
    let used = client.get("/me").await.data()["month"]["used"]
        .as_u64()
        .unwrap();
    assert!(used >= 2, "the month's use is kept: {used}");
    let revoked = Client::new(&fleet, &fleet.account("partner").keys.revoked);
    revoked.get("/games").await.assert_error(401, "invalid_key");
}
