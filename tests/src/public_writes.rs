//! Public writes during a fault: people vote, a studio changes its game, and the server of the game sends the report of its currency again and again.

use std::cell::RefCell;

use kit::ids::row_id;
use kit::rpc::client::Client as Channel;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;
use uuid::Uuid;

use crate::traffic::{GIVE_UP, PATIENCE, rows, send};
use crate::{Client, Fleet, Studio, cast_vote, eventually_within};

/// The writers, and what was acknowledged.
pub struct PublicWrites {
    pub game: String,
    catalogue: Channel,
    /// The client of the studio, which may write.
    studio: Client,
    server: Client,
    acknowledged: RefCell<AcknowledgedWrites>,
}

#[derive(Debug, Clone, Default)]
struct AcknowledgedWrites {
    /// Each voter has cast one vote.
    voters: Vec<Uuid>,
    /// In the order of the changes.
    taglines: Vec<String>,
    /// The answer to the report, and how often it came.
    report: Option<Value>,
    reports: usize,
}

struct StoredWrites {
    /// Votes of voters whose votes were acknowledged.
    acknowledged_votes: i64,
    votes: i64,
    /// In the order of the changes.
    taglines: Vec<String>,
}

impl PublicWrites {
    /// Creates a studio with a game that has a currency.
    pub(crate) async fn new(fleet: &Fleet) -> Self {
        let studio = Studio::new(fleet).await.with_currency().await;
        Self {
            catalogue: fleet.rpc_client("catalogue-svc").await,
            server: studio.key_of_game("live", "secret").await,
            studio: studio.live,
            game: studio.game,
            acknowledged: RefCell::default(),
        }
    }

    /// The numbers of votes, changes, and answers to the report.
    pub(crate) fn progress(&self) -> [usize; 3] {
        let acknowledged = self.acknowledged.borrow();
        let (votes, changes) = (acknowledged.voters.len(), acknowledged.taglines.len());
        [votes, changes, acknowledged.reports]
    }

    pub(crate) async fn vote(&self) -> Option<()> {
        let vote = cast_vote(self.catalogue.clone());
        let voter = timeout(PATIENCE, vote).await.ok()?.ok()?;
        self.acknowledged.borrow_mut().voters.push(voter);
        Some(())
    }

    pub(crate) async fn change(&self) -> Option<()> {
        let tagline = format!("Change {}", row_id());
        let path = format!("/games/{}", self.game);
        let request = self.studio.request(Method::PATCH, &path);
        send(request.json(&json!({"tagline": tagline}))).await?;
        self.acknowledged.borrow_mut().taglines.push(tagline);
        Some(())
    }

    /// The server of the game sends its report again, which counts once and always gets the same answer.
    pub(crate) async fn report(&self) -> Option<()> {
        let report = json!({
            "supply": 1_000_000, "minted": 5_000, "burned": 1_000,
            "basket": {"meal": 10, "ride": 5, "wage": 100, "rent": 900},
            "output": 42_000, "active_players": 120, "policy_rate": 12.5,
        });
        let request = self
            .server
            .request(Method::POST, "/economy/report")
            .header("idempotency-key", &self.game)
            .json(&report);
        let answer = send(request).await?["data"].take();
        let mut acknowledged = self.acknowledged.borrow_mut();
        let first = acknowledged.report.get_or_insert_with(|| answer.clone());
        assert_eq!(*first, answer, "the answers to the same report");
        acknowledged.reports += 1;
        Some(())
    }

    /// Waits until the API shows what is stored.
    ///
    /// # Panics
    /// Something that was acknowledged is lost, or the API does not show what is stored.
    pub async fn assert_kept(&self, fleet: &Fleet, what: &str) {
        let acknowledged = self.acknowledged.borrow().clone();
        let voters = &acknowledged.voters;
        let answers = format!("{what}: PostgreSQL answers");
        let stored = eventually_within(GIVE_UP, &answers, async || {
            self.read_stored(fleet, voters).await.ok()
        })
        .await;
        let votes = i64::try_from(voters.len()).unwrap();
        assert_eq!(stored.acknowledged_votes, votes, "{what}: votes that were acknowledged");
        let taglines = acknowledged.taglines.iter();
        let lost: Vec<&String> = taglines.filter(|it| !stored.taglines.contains(it)).collect();
        assert!(lost.is_empty(), "{what}: acknowledged changes that are lost: {lost:?}");
        let shown = format!("{what}: the API shows the last change, all votes and one report");
        eventually_within(GIVE_UP, &shown, async || {
            // A call that got no answer may still take effect.
            let stored = self.read_stored(fleet, voters).await.ok()?;
            let last = stored.taglines.last().cloned().unwrap_or_default();
            (self.shown().await? == (last, stored.votes, 1)).then_some(())
        })
        .await;
    }

    #[expect(clippy::disallowed_methods, reason = "the tests have no schema of their own")]
    async fn read_stored(
        &self,
        fleet: &Fleet,
        voters: &[Uuid],
    ) -> Result<StoredWrites, sqlx::Error> {
        let mut connection = PgConnection::connect(&fleet.database_url).await?;
        let acknowledged_votes: i64 =
            sqlx::query_scalar("select count(*) from catalogue.vote where voter_id = any($1)")
                .bind(voters)
                .fetch_one(&mut connection)
                .await?;
        let votes: i64 = sqlx::query_scalar("select count(*) from catalogue.vote")
            .fetch_one(&mut connection)
            .await?;
        let taglines: Vec<String> = sqlx::query_scalar(
            "select after ->> 'tagline' from listings.revision join listings.listing using (id)
             where entity = 'game' and mode = 'live' and name = $1 and after ->> 'tagline' <> ''
             order by revision.revision",
        )
        .bind(&self.game)
        .fetch_all(&mut connection)
        .await?;
        Ok(StoredWrites { acknowledged_votes, votes, taglines })
    }

    /// The tagline, the wins of all games, and the number of reports. `None` while the API does not answer.
    async fn shown(&self) -> Option<(String, i64, usize)> {
        let game = self.studio.get(&format!("/games/{}", self.game)).await;
        let tagline = game.body["data"]["tagline"].as_str()?.to_owned();
        let board = rows(&self.studio, "/rankings/games/all").await?;
        let wins: i64 = board.iter().filter_map(|row| row["wins"].as_i64()).sum();
        let path = format!("/economy/history?game={}", self.game);
        let history = self.server.get(&path).await;
        let reports = history.body["data"].as_array()?.len();
        Some((tagline, wins, reports))
    }
}
