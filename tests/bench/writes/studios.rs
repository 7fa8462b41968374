//! Studios with public games that they change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::listings::v1::games_service_client::GamesServiceClient;
use contracts::listings::v1::{Author, UpdateGameRequest, Writing};
use e2e::{Client, Fleet, Staff, dial};
use kit::rpc::client::Client as Channel;
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Accounts, each with a page.
pub(crate) const STUDIOS: usize = 64;
/// Public games of each.
pub(crate) const GAMES: usize = 16;

/// An account with a page and games.
#[derive(Debug, Clone)]
pub(crate) struct Studio {
    /// The account's id.
    account: String,
    /// A caller of the gateway with a key of it that may write.
    caller: Client,
    /// The slugs of its games.
    games: Vec<String>,
}

/// All of them.
#[derive(Debug, Clone)]
pub(crate) struct Studios {
    studios: Arc<Vec<Studio>>,
    /// Changes so far; each has its number in it, so that each changes something.
    changes: Arc<AtomicU64>,
}

/// Who is called.
#[derive(Clone)]
pub(crate) enum Way {
    /// Replicas of listings-svc, in turns.
    Listings(Vec<GamesServiceClient<Channel>>),
    /// The gateway.
    Gateway,
}

impl Way {
    /// The first replicas of listings-svc.
    pub(crate) async fn replicas(fleet: &Fleet, count: usize) -> Self {
        let token = fleet.service_token.clone().into();
        let services = fleet.services.iter();
        let replicas = services.filter(|service| service.name == "listings-svc");
        let mut clients = Vec::new();
        for replica in replicas.take(count) {
            clients.push(GamesServiceClient::new(dial(&replica.grpc, &token).await));
        }
        assert_eq!(clients.len(), count, "the fleet has fewer replicas");
        Self::Listings(clients)
    }
}

impl Studios {
    pub(crate) async fn open(fleet: &Fleet) -> Self {
        let mut staff = Staff::of(fleet).await;
        let mut studios = Vec::new();
        for n in 0..STUDIOS {
            let account = staff.account("unlimited").await;
            let handle = format!("bench-{n}");
            staff.page(&account, &handle).await;
            let games: Vec<String> = (0..GAMES).map(|game| format!("{handle}-{game}")).collect();
            let rows = games.iter().map(|slug| {
                json!({
                    "slug": slug, "title": slug, "tagline": "As imported", "release_year": 2024, "genres": ["puzzle"], "platforms": ["web"],
                    "creator": handle, "description": "A game of a benchmark. ".repeat(20), "links": {"website": "https://studio.example"},
                })
            });
            staff.import("game", &rows.collect::<Vec<_>>()).await;
            studios.push(Studio {
                caller: staff.writer(fleet, &account, "live").await,
                account: account.account.id,
                games,
            });
        }
        Self {
            studios: Arc::new(studios),
            changes: Arc::default(),
        }
    }

    /// Changes that were accepted so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// A studio; any number names one.
    fn studio(&self, n: usize) -> &Studio {
        &self.studios[n % STUDIOS]
    }

    /// Changes the `turn`th game of the `n`th studio; returns its slug and its new tagline.
    pub(crate) async fn change(&self, n: usize, turn: usize, way: &mut Way) -> (String, String) {
        let studio = self.studio(n);
        let slug = studio.games[turn % GAMES].clone();
        let tagline = format!("change{}x", self.changes.fetch_add(1, Ordering::Relaxed));
        let body = json!({ "tagline": tagline });
        match way {
            Way::Listings(replicas) => {
                let place = n % replicas.len();
                let writing = Writing {
                    author: Some(Author {
                        account_id: studio.account.clone(),
                        mode: Mode::Live.into(),
                        writes_per_day: None,
                    }),
                    body: body.to_string().into(),
                    ..Writing::default()
                };
                let request = UpdateGameRequest {
                    slug: slug.clone(),
                    writing: Some(writing),
                    precondition: None,
                };
                replicas[place].update_game(request).await.unwrap();
            }
            Way::Gateway => {
                let request = studio
                    .caller
                    .request(Method::PATCH, &format!("/games/{slug}"));
                let answer = studio.caller.send(request.json(&body)).await;
                assert_eq!(answer.status, 200, "{}", answer.text);
            }
        }
        (slug, tagline)
    }

    /// Accepted changes a second, with so many callers, each of a studio of its own, one change after the other.
    pub(crate) async fn rate(&self, callers: usize, way: &Way, seconds: u32) -> f64 {
        let before = self.changes();
        let start = Instant::now();
        let end = start + Duration::from_secs(seconds.into());
        self.write_until(callers, way, end).join_all().await;
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let changes = (self.changes() - before) as f64;
        changes / start.elapsed().as_secs_f64()
    }

    /// So many callers that write until then.
    pub(crate) fn write_until(&self, callers: usize, way: &Way, end: Instant) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        for n in 0..callers {
            let (studios, mut way) = (self.clone(), way.clone());
            tasks.spawn(async move {
                for turn in 0.. {
                    studios.change(n, turn, &mut way).await;
                    if Instant::now() >= end {
                        return;
                    }
                }
            });
        }
        tasks
    }
}
