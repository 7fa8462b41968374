//! The sitemap and new games of the catalogue stub: games on two pages, and one listing of each
//! other kind.

use std::mem;

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::site_service_server::SiteService;
use kit::Fault;
use kit::api::fault::replica_unavailable;
use serde_json::{Value, json};
use tonic::{Request, Response};

use crate::stub_catalogue::{Answer, StubCatalogue};

/// The cursor of the second page of games.
const SECOND: &str = "second";

/// A day of November 2026.
fn day(day: i64) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds: 1_793_491_200 + (day - 1) * 86_400, nanos: 5_000_000 }
}

fn page(addresses: &[&str]) -> proto::ListSitemapResponse {
    let entry = |address: &&str| proto::SitemapEntry {
        address: (*address).to_owned(),
        updated_at: Some(day(20)),
    };
    let entries = addresses.iter().map(entry).collect();
    proto::ListSitemapResponse { entries, next_cursor: String::new() }
}

#[tonic::async_trait]
impl SiteService for StubCatalogue {
    async fn list_sitemap(
        &self,
        request: Request<proto::ListSitemapRequest>,
    ) -> Answer<proto::ListSitemapResponse> {
        let request = request.into_inner();
        self.read(request.at_least.as_ref());
        self.answers()?;
        if mem::take(&mut *self.lags_once.lock().unwrap()) {
            return Err(replica_unavailable("a test"));
        }
        let is_second = request.cursor == SECOND;
        if !is_second {
            self.wait().await;
        }
        if is_second && *self.breaks_off.lock().unwrap() {
            return Err(Fault::unavailable("a test").into());
        }
        let page = match request.kind.as_str() {
            "games" if is_second => page(&["zuri"]),
            "games" => {
                let mut first = page(&["okoto", "kora"]);
                if *self.fills_a_file.lock().unwrap() {
                    let rows: Vec<String> = (0..=50_000).map(|row| format!("game-{row}")).collect();
                    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
                    first = page(&rows);
                }
                let next_cursor = SECOND.to_owned();
                proto::ListSitemapResponse { next_cursor, ..first }
            }
            "creators" => page(&["savanna"]),
            "events" => page(&["jam"]),
            _ => page(&["lagos"]),
        };
        Ok(Response::new(page))
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
