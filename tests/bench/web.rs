//! A page of the dashboard and one of the public site, compared with a server that has the bytes in memory; and the page of a game, compared with the
//! same game through the API.

use e2e::{Client, WebClient};

use crate::fleet::BenchFleet;
use crate::results::{Measure, Report};
use crate::side::{Side, compare};
use crate::wrk::Request;
use crate::{child, static_body};

const NO_LIMIT: &str = "4000000000";

pub(crate) async fn run(report: &mut Report) {
    let bench = BenchFleet::up_with(&[
        ("WEB_PAGES_PER_MINUTE", NO_LIMIT),
        ("WEB_PERSON_PAGES_PER_MINUTE", NO_LIMIT),
    ])
    .await;
    let mut client = WebClient::new(&bench.fleet);
    let account = client.sign_in(bench.fleet.account("partner")).await;
    let pages = Pages { bench, client };
    let keys = format!("{account}/keys");
    pages.beside_bare(report, "keys", &keys, "0.5").await;
    pages.beside_bare(report, "start page", "/", "").await;
    pages.game_beside_api(report).await;
}

/// The fleet, and a browser with the session of an account's owner.
struct Pages {
    bench: BenchFleet,
    client: WebClient,
}

impl Pages {
    fn side(&self, name: &'static str, path: &str) -> Side {
        let request = Request::get(&format!("{}{path}", self.client.base));
        let cookie = self.client.cookie_header().unwrap();
        let processes = ["web", "gateway", "catalogue-svc", "webhook-svc", "redis"];
        Side {
            name,
            request: request.with_header(&format!("Cookie: {cookie}")),
            processes: self.bench.processes(&processes),
        }
    }

    async fn beside_bare(
        &self,
        report: &mut Report,
        name: &'static str,
        path: &str,
        required: &'static str,
    ) {
        let url = format!("{}{path}", self.client.base);
        let cookie = self.client.cookie_header().unwrap();
        let page = self.client.http.get(&url).header("cookie", cookie);
        let page = page.send().await.unwrap().error_for_status().unwrap();
        let page = page.bytes().await.unwrap();
        let (process, url) = static_body::start(&self.bench.small, &page).await;
        let bare = Side {
            name: "bare axum",
            request: Request::get(&url),
            processes: vec![child::process("bare axum", &process)],
        };
        let measure = Measure::new(format!(
            "page of web, {name}: compared with a bare axum server that has the same bytes ready, 64 callers"
        ));
        let measure = measure.required(required);
        compare(report, &measure, &bare, &self.side(name, path)).await;
    }

    async fn game_beside_api(&self, report: &mut Report) {
        let (fleet, key) = (&self.bench.fleet, &self.bench.key);
        let games = Client::new(fleet, key).get("/games").await;
        let path = format!("/games/{}", games.data()[0]["slug"].as_str().unwrap());
        let processes = ["gateway", "catalogue-svc", "redis"];
        let api = Side {
            name: "GET /games/{slug}",
            request: Request::get(&format!("{}{path}", fleet.base_url)).with_key(key),
            processes: self.bench.processes(&processes),
        };
        let measure = Measure::new(
            "page of web, a game: compared with GET /games/{slug} through the gateway",
        );
        let page = self.side("a game's page", &path);
        compare(report, &measure.required("0.5"), &api, &page).await;
    }
}
