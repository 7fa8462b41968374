//! catalogue-svc for the sitemap and the feed of new games: a file of games in two parts, and one of each other kind.

use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::site_service_server::SiteService;
use kit::Fault;
use serde_json::json;
use tonic::{Request, Response};

use crate::stub_catalogue::{Answer, StubCatalogue};

/// A day of November 2026.
fn day(day: i64) -> prost_types::Timestamp {
    prost_types::Timestamp {
        seconds: 1_793_491_200 + (day - 1) * 86_400,
        nanos: 5_000_000,
    }
}

fn entry(address: &str) -> proto::SitemapEntry {
    proto::SitemapEntry {
        address: address.to_owned(),
        updated_at: Some(day(20)),
    }
}

#[tonic::async_trait]
impl SiteService for StubCatalogue {
    async fn list_sitemap_files(
        &self,
        request: Request<proto::ListSitemapFilesRequest>,
    ) -> Answer<proto::ListSitemapFilesResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers()?;
        let files = ["games", "creators", "events", "cities"].map(|kind| proto::SitemapFile {
            kind: kind.to_owned(),
            number: 1,
            updated_at: (kind != "cities").then(|| day(21)),
        });
        Ok(Response::new(proto::ListSitemapFilesResponse {
            files: files.into(),
        }))
    }

    async fn read_sitemap_file(
        &self,
        request: Request<proto::ReadSitemapFileRequest>,
    ) -> Answer<proto::ReadSitemapFileResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers()?;
        let request = request.into_inner();
        if request.number != 1 {
            return Err(Fault::not_found("The sitemap has no such file.").into());
        }
        let (entries, next) = match (request.kind.as_str(), request.cursor.as_str()) {
            ("games", "") => (vec![entry("okoto"), entry("kora")], Some("rest")),
            ("games", "rest") => (vec![entry("zuri")], None),
            ("creators", "") => (vec![entry("savanna")], None),
            ("events", "") => (vec![entry("jam")], None),
            _ => (vec![entry("lagos")], None),
        };
        if request.cursor == "rest" && *self.breaks_off.lock().unwrap() {
            return Err(Fault::unavailable("a test").into());
        }
        Ok(Response::new(proto::ReadSitemapFileResponse {
            entries,
            next_cursor: next.map(ToOwned::to_owned),
            version: 7,
        }))
    }

    async fn list_new_games(
        &self,
        request: Request<proto::ListNewGamesRequest>,
    ) -> Answer<proto::ListNewGamesResponse> {
        self.read(request.get_ref().at_least.as_ref());
        self.answers_to("list_new_games")?;
        // The feed and the start page.
        assert!([50, 4].contains(&request.into_inner().limit));
        Ok(Response::new(proto::ListNewGamesResponse {
            json: self.body(json!([self.game()])),
            games: vec![proto::NewGame {
                first_published_at: Some(day(*self.published_day.lock().unwrap())),
                updated_at: Some(day(22)),
                description: "Plant <b>seeds</b>.\nWater them.\n\nWait.".to_owned(),
            }],
        }))
    }
}
