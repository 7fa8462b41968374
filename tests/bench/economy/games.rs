//! Games with currencies, which report and get tips.

use std::sync::Arc;

use contracts::common::v1::Mode;
use contracts::economy::v1::reports_service_client::ReportsServiceClient;
use contracts::economy::v1::tips_service_client::TipsServiceClient;
use contracts::economy::v1::{SendTipRequest, SubmitReportRequest};
use e2e::{Fleet, NewAccount, SmallFleet, Staff};
use kit::rpc::client::Client;
use serde_json::json;

use crate::side::rate;

/// The games, all of one page and one account.
#[derive(Clone)]
pub(super) struct Games {
    pub(super) fleet: Arc<Fleet>,
    account: Arc<NewAccount>,
    economy: Client,
    slugs: Arc<Vec<String>>,
}

impl Games {
    /// Starts a fleet without games, on which a game may report as often as it likes.
    pub(super) async fn open(small: &mut SmallFleet) -> Self {
        small.set("ECONOMY_REPORT_INTERVAL", "0");
        let fleet = small.up().await;
        let mut staff = Staff::new(&fleet).await;
        let account = staff.account("unlimited").await;
        staff.page(&account, "bench").await;
        Self {
            economy: fleet.rpc_client("economy-svc").await,
            fleet: Arc::new(fleet),
            account: Arc::new(account),
            slugs: Arc::default(),
        }
    }

    /// Adds games with currencies until there are `count`.
    pub(super) async fn grow(&mut self, count: usize) {
        let staff = Staff::new(&self.fleet).await;
        let added: Vec<String> =
            (self.slugs.len()..count).map(|game| format!("bench-{game}")).collect();
        let rows = added.iter().map(
            |slug| json!({"slug": slug, "title": slug, "release_year": 2024, "creator": "bench"}),
        );
        staff.import("game", &rows.collect::<Vec<_>>()).await;
        for slug in &added {
            staff.new_currency(slug).await;
        }
        Arc::make_mut(&mut self.slugs).extend(added);
    }

    /// A secret key of the first game.
    pub(super) async fn key(&self) -> String {
        let staff = Staff::new(&self.fleet).await;
        let key = staff.key_of_game(&self.account, "live", "secret", &self.slugs[0]);
        key.await
    }

    /// Sends one report for each of the first `count` games.
    pub(super) async fn report(&self, count: usize) {
        for game in 0..count {
            self.clone().send(game).await;
        }
    }

    /// Reports per second of `callers` concurrent callers. Each has its own games, because reports of one game wait for each other.
    pub(super) async fn rate(&self, callers: usize, seconds: u32) -> f64 {
        let games = self.clone();
        rate(callers, seconds, move |caller, turn| games.clone().send(caller + callers * turn))
            .await
    }

    async fn send(self, game: usize) {
        let body = json!({
            "supply": 1_000_000, "minted": 5_000, "burned": 1_000,
            "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900},
            "output": 42_000, "active_players": 120,
        });
        let request = SubmitReportRequest {
            account_id: self.account.account.id.clone(),
            mode: Mode::Live.into(),
            game: self.slugs[game % self.slugs.len()].clone(),
            body: body.to_string().into(),
            ..SubmitReportRequest::default()
        };
        let mut reports = ReportsServiceClient::new(self.economy);
        let answer = reports.submit_report(request).await.unwrap().into_inner();
        assert!(answer.counted);
    }

    /// Tips per second of `callers` concurrent callers.
    pub(super) async fn tips(&self, callers: usize, seconds: u32) -> f64 {
        let games = self.clone();
        rate(callers, seconds, move |caller, turn| games.clone().tip(caller + callers * turn)).await
    }

    async fn tip(self, game: usize) {
        let request = SendTipRequest {
            account_id: self.account.account.id.clone(),
            mode: Mode::Live.into(),
            game: self.slugs[game % self.slugs.len()].clone(),
            body: json!({"player": "ada", "amount": 5}).to_string().into(),
            ..SendTipRequest::default()
        };
        TipsServiceClient::new(self.economy).send_tip(request).await.unwrap();
    }
}
