//! GET /me (§10).

use std::time::{Duration, Instant};

use e2e::{Client, Fleet, KeyRequest, Staff, a_day_with_time_left};

/// The game that a key belongs to.
async fn game_of(fleet: &Fleet, key: &str) -> String {
    let answer = Client::new(fleet, key).get("/me").await;
    let me: contracts::public::Me = serde_json::from_value(answer.data().clone()).unwrap();
    me.key.game.unwrap()
}

#[tokio::test]
async fn a_ready_made_key_of_a_game_is_of_a_game_of_its_account() {
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

#[tokio::test]
async fn a_key_learns_what_it_is_and_what_is_left() {
    a_day_with_time_left().await;
    let fleet = Fleet::shared();
    let mut staff = Staff::of(&fleet).await;
    let account = staff.account("free").await;
    let wanted = KeyRequest {
        may_write: true,
        ..KeyRequest::live()
    };
    let client = Client::new(&fleet, &staff.key(&account, wanted).await.1);
    let began = Instant::now();
    client.get("/games?limit=1").await;
    let answer = client.get("/me").await;
    let took = began.elapsed();
    let me: contracts::public::Me = serde_json::from_value(answer.data().clone()).unwrap();
    assert_eq!(me.account.unwrap().plan.name, "free");
    assert_eq!((me.key.mode.as_str(), me.key.may_write), ("live", true));
    assert_eq!(me.minute.limit, Some(60));
    // On a slow machine, the minute of the first call may have ended.
    if took < Duration::from_mins(1) {
        assert_eq!(me.minute.remaining, Some(58));
    }
    let month = me.month.unwrap();
    assert_eq!(
        (month.limit, month.used, month.remaining),
        (Some(50_000), 2, Some(49_998))
    );
    assert!(!answer.text.contains("hash"));
}
