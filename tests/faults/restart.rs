//! A fleet keeps its data and keys through `down` and `up`.

use e2e::{Client, SmallFleet};
use serde_json::Value;

/// The changes after `cursor`, and the next cursor.
async fn changes(client: &Client, cursor: &str) -> (Vec<Value>, String) {
    let (mut rows, mut cursor) = (Vec::new(), cursor.to_owned());
    loop {
        let path = format!("/changes?limit=100&cursor={cursor}");
        let page = client.get(&path).await;
        let data = page.data().as_array().unwrap();
        rows.extend(data.iter().cloned());
        let next = page.body["meta"]["next_cursor"].as_str();
        next.unwrap().clone_into(&mut cursor);
        if data.len() < 100 {
            return (rows, cursor);
        }
    }
}

#[tokio::test]
async fn data_and_keys_are_there_after_down_and_up() {
    let mut small = SmallFleet::patient();
    let fleet = small.up().await;
    let key = fleet.account("partner").keys.live.clone();
    let games = Client::new(&fleet, &key).all("/games", 100).await;
    assert!(games.len() >= 91);
    let told = changes(&Client::new(&fleet, &key), "").await;
    assert!(told.0.len() > games.len());
    let again = small.launcher("up", &[]).await;
    assert!(again.contains("is running"), "{again}");
    small.down().await;
    assert!(small.fleet().services.is_empty(), "nothing runs");

    let fleet = small.up().await;
    assert_eq!(fleet.account("partner").keys.live, key);
    let client = Client::new(&fleet, &key);
    assert_eq!(client.all("/games", 100).await, games);
    // A mirror continues at its cursor, and a new mirror gets the same changes as before.
    assert_eq!(changes(&client, &told.1).await, (vec![], told.1.clone()));
    assert_eq!(changes(&client, "").await, told);
    let used = client.get("/me").await.data()["month"]["used"]
        .as_u64()
        .unwrap();
    assert!(used >= 3, "the month's use is kept: {used}");
    let revoked = Client::new(&fleet, &fleet.account("partner").keys.revoked);
    revoked.get("/games").await.assert_error(401, "invalid_key");
}
