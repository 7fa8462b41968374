//! GET /me (§10).

use e2e::{Client, Fleet};

/// The game that a key belongs to, according to GET /me.
async fn game_of(fleet: &Fleet, key: &str) -> String {
    let answer = Client::new(fleet, key).get("/me").await;
    let me: contracts::public::Me = serde_json::from_value(answer.data().clone()).unwrap();
    me.key.game.unwrap()
}

#[tokio::test]
async fn each_ready_made_game_key_belongs_to_a_game_of_its_account() {
    let fleet = Fleet::shared();
    for account in &fleet.accounts {
        let keys = &account.keys;
        let live = Client::new(&fleet, &keys.live);
        let listed = live.get("/me/listings?limit=100").await;
        let rows = listed.data().as_array().unwrap();
        let game = game_of(&fleet, &keys.live_secret).await;
        assert!(rows.iter().any(|row| row["slug"] == game), "{game}");
        assert_eq!(account.economy_game, game);
        assert_eq!(game_of(&fleet, &keys.live_public).await, game);
        assert_eq!(game_of(&fleet, &keys.test_secret).await, game);
    }
}
