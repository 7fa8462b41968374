//! The sitemap and new games of the catalogue stub: games in two messages, and one listing of each other kind.

use std::mem;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::site_service_server::SiteService;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use kit::Fault;
use kit::api::fault::replica_unavailable;
use serde_json::{Value, json};
use tonic::{Request, Response, Status};

use crate::stub_catalogue::{Answer, StubCatalogue};

/// A day of November 2026.
fn day(day: i64) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds: 1_793_491_200 + (day - 1) * 86_400, nanos: 5_000_000 }
}

fn part(addresses: &[&str]) -> proto::ListSitemapResponse {
    let entry = |address: &&str| proto::SitemapEntry {
        address: (*address).to_owned(),
        updated_at: Some(day(20)),
    };
    proto::ListSitemapResponse { entries: addresses.iter().map(entry).collect() }
}

#[tonic::async_trait]
impl SiteService for StubCatalogue {
    type ListSitemapStream = BoxStream<'static, Result<proto::ListSitemapResponse, Status>>;

    async fn list_sitemap(
        &self,
        request: Request<proto::ListSitemapRequest>,
    ) -> Answer<Self::ListSitemapStream> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers()?;
        if mem::take(&mut *self.lags_once.lock().unwrap()) {
            return Err(replica_unavailable("a test"));
        }
        self.wait().await;
        let mut parts = match request.get_ref().kind.as_str() {
            "games" if *self.fills_a_file.lock().unwrap() => {
                let rows: Vec<String> = (0..=50_000).map(|row| format!("game-{row}")).collect();
                let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
                vec![Ok(part(&rows))]
            }
            "games" => vec![Ok(part(&["okoto", "kora"])), Ok(part(&["zuri"]))],
            "creators" => vec![Ok(part(&["savanna"]))],
            "events" => vec![Ok(part(&["jam"]))],
            _ => vec![Ok(part(&["lagos"]))],
        };
        if *self.breaks_off.lock().unwrap() {
            parts.truncate(1);
            parts.push(Err(Fault::unavailable("a test").into()));
        }
        Ok(Response::new(stream::iter(parts).boxed()))
    }

    async fn draw_games(
        &self,
        request: Request<proto::DrawGamesRequest>,
    ) -> Answer<proto::DrawGamesResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("draw_games")?;
        let proto::DrawGamesRequest { seed, limit, .. } = request.into_inner();
        let mut games = match self.games(None) {
            Value::Array(games) => games,
            other => vec![other],
        };
        let moved = usize::try_from(seed).unwrap() % games.len();
        games.rotate_left(moved);
        games.truncate(usize::try_from(limit).unwrap());
        let json = self.body(games.into());
        Ok(Response::new(proto::DrawGamesResponse { json }))
    }

    async fn list_new_games(
        &self,
        request: Request<proto::ListNewGamesRequest>,
    ) -> Answer<proto::ListNewGamesResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("list_new_games")?;
        // The limits of the feed and of the start page.
        assert!([50, 4].contains(&request.into_inner().limit));
        Ok(Response::new(proto::ListNewGamesResponse {
            json: self.body(json!([self.game()])),
            games: vec![proto::NewGame {
                first_published_at: Some(day(*self.published_day.lock().unwrap())),
                updated_at: Some(day(22)),
            }],
        }))
    }
}
