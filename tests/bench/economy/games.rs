//! Games with currencies that report and are tipped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::economy::v1::reports_service_client::ReportsServiceClient;
use contracts::economy::v1::tips_service_client::TipsServiceClient;
use contracts::economy::v1::{SendTipRequest, SubmitReportRequest};
use e2e::{Fleet, KeyRequest, NewAccount, Staff, dial, eventually};
use kit::rpc::client::Client;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// What callers do.
#[derive(Debug, Clone, Copy)]
pub(crate) enum What {
    Report,
    Tip,
}

/// All of them.
#[derive(Debug, Clone)]
pub(crate) struct Games {
    account: Arc<NewAccount>,
    slugs: Arc<Vec<String>>,
}

impl Games {
    /// None yet, of one page, of an account with this plan.
    pub(crate) async fn open(fleet: &Fleet, plan: &str) -> Self {
        let mut staff = Staff::of(fleet).await;
        let account = staff.account(plan).await;
        staff.page(&account, "bench").await;
        Self {
            account: Arc::new(account),
            slugs: Arc::default(),
        }
    }

    /// Adds games with currencies until there are so many.
    pub(crate) async fn grow(&mut self, fleet: &Fleet, count: usize) {
        let staff = Staff::of(fleet).await;
        let added: Vec<String> = (self.slugs.len()..count)
            .map(|game| format!("bench-{game}"))
            .collect();
        let rows = added.iter().map(
            |slug| json!({"slug": slug, "title": slug, "release_year": 2024, "creator": "bench"}),
        );
        staff.import("game", &rows.collect::<Vec<_>>()).await;
        for slug in &added {
            eventually("economy-svc knows the game", async || {
                staff.currency(slug, "Coin").await.ok()
            })
            .await;
        }
        Arc::make_mut(&mut self.slugs).extend(added);
    }

    /// A secret key of the first game.
    pub(crate) async fn key(&self, fleet: &Fleet) -> String {
        let staff = Staff::of(fleet).await;
        let wanted = || KeyRequest {
            kind: "secret",
            game: self.slugs.first().cloned(),
            ..KeyRequest::live()
        };
        let made = eventually("the gateway knows the game", async || {
            staff.clone().try_key(&self.account, wanted()).await.ok()
        });
        made.await.1
    }

    /// Has each game report once.
    pub(crate) async fn report_all(&self, fleet: &Fleet) {
        let channels = channels(fleet, 1).await;
        for slug in self.slugs.iter() {
            self.make(&channels[0], slug, What::Report).await;
        }
    }

    /// Has one game report.
    pub(crate) async fn report_one(&self, fleet: &Fleet) {
        let channels = channels(fleet, 1).await;
        self.make(&channels[0], &self.slugs[0], What::Report).await;
    }

    /// What is done in a second, at so many replicas by so many callers, each of whom does one thing after the other.
    pub(crate) async fn rate(
        &self,
        fleet: &Fleet,
        replicas: usize,
        callers: usize,
        what: What,
        seconds: u32,
    ) -> f64 {
        let channels = channels(fleet, replicas).await;
        let done = Arc::new(AtomicU64::new(0));
        let start = Instant::now();
        let end = start + Duration::from_secs(seconds.into());
        let mut tasks = JoinSet::new();
        for caller in 0..callers {
            let (games, done) = (self.clone(), Arc::clone(&done));
            let channel = channels[caller % channels.len()].clone();
            tasks.spawn(async move {
                // Each caller has games of its own: reports of one game wait for each other.
                for turn in 0.. {
                    let game = (caller + callers * turn) % games.slugs.len();
                    games.make(&channel, &games.slugs[game], what).await;
                    done.fetch_add(1, Ordering::Relaxed);
                    if Instant::now() >= end {
                        return;
                    }
                }
            });
        }
        tasks.join_all().await;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let done = done.load(Ordering::Relaxed) as f64;
        done / start.elapsed().as_secs_f64()
    }

    async fn make(&self, channel: &Client, slug: &str, what: What) {
        let (account_id, game) = (self.account.account.id.clone(), slug.to_owned());
        match what {
            What::Report => {
                let body = json!({
                    "supply": 1_000_000, "minted": 5_000, "burned": 1_000,
                    "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900},
                    "output": 42_000, "active_players": 120,
                });
                let request = SubmitReportRequest {
                    account_id,
                    mode: Mode::Live.into(),
                    game,
                    body: body.to_string().into(),
                    ..SubmitReportRequest::default()
                };
                let mut reports = ReportsServiceClient::new(channel.clone());
                let answer = reports.submit_report(request).await.unwrap().into_inner();
                assert!(answer.counted);
            }
            What::Tip => {
                let body = json!({"player": "ada", "amount": 5});
                let request = SendTipRequest {
                    account_id,
                    mode: Mode::Live.into(),
                    game,
                    body: body.to_string().into(),
                    ..SendTipRequest::default()
                };
                let mut tips = TipsServiceClient::new(channel.clone());
                tips.send_tip(request).await.unwrap();
            }
        }
    }
}

/// A channel to each of the first replicas.
async fn channels(fleet: &Fleet, replicas: usize) -> Vec<Client> {
    let token = fleet.service_token.clone().into();
    let services = fleet.services.iter();
    let economies = services.filter(|service| service.name == "economy-svc");
    let mut channels = Vec::new();
    for replica in economies.take(replicas) {
        channels.push(dial(&replica.grpc, &token).await);
    }
    assert_eq!(channels.len(), replicas, "the fleet has fewer replicas");
    channels
}
