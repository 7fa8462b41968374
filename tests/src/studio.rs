//! An account with a page and a published game.

use serde_json::json;

use crate::{Client, Fleet, NewAccount, Staff};

/// The account, its page and its game. No other test uses their names.
pub struct Studio {
    pub fleet: Fleet,
    pub staff: Staff,
    /// The owner of the page.
    pub account: NewAccount,
    pub handle: String,
    pub game: String,
    /// A client with a live key that may write.
    pub live: Client,
}

impl Studio {
    /// Creates a studio on the plan `unlimited`.
    pub async fn new(fleet: &Fleet) -> Self {
        Self::on_plan(fleet, "unlimited").await
    }

    pub async fn on_plan(fleet: &Fleet, plan: &str) -> Self {
        let mut staff = Staff::new(fleet).await;
        let account = staff.account(plan).await;
        let handle = format!("studio-{}", kit::ids::row_id().simple());
        let game = format!("{handle}-game");
        staff.page(&account, &handle).await;
        let row = json!({
            "slug": game, "title": "A Game", "tagline": "Old", "genres": ["puzzle"], "platforms": ["web"], "release_year": 2024,
            "creator": handle, "description": "Long", "links": {"website": "https://studio.example"},
        });
        staff.import("game", &[row]).await;
        Self {
            fleet: fleet.clone(),
            live: staff.writer(fleet, &account, "live").await,
            staff,
            account,
            handle,
            game,
        }
    }

    /// Gives the game a currency.
    pub async fn with_currency(self) -> Self {
        self.staff.new_currency(&self.game).await;
        self
    }

    pub async fn key_of_game(&self, mode: &'static str, kind: &'static str) -> Client {
        let key = self.staff.key_of_game(&self.account, mode, kind, &self.game);
        Client::new(&self.fleet, &key.await)
    }

    /// Submits a game whose slug and title no other test uses; returns the slug.
    pub async fn submit(&self, word: &str) -> String {
        let title = format!("{} {word}", self.handle);
        let body = json!({"creator": self.handle, "title": title});
        let sent = self.live.post("/games", &body).await;
        sent.data()["slug"].as_str().unwrap().to_owned()
    }

    /// Submits a game and approves it; returns the slug.
    pub async fn publish(&self, word: &str) -> String {
        let slug = self.submit(word).await;
        self.staff.approve("game", &slug).await;
        slug
    }

    pub async fn edit(&self, slug: &str, tagline: &str) {
        let path = format!("/games/{slug}");
        let changes = json!({ "tagline": tagline });
        self.live.patch(&path, &changes).await.data();
    }
}
