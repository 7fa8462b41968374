//! Pages of the dashboard, of the public site and of the documentation, and the OpenAPI document.

use contracts::webhook::v1::deliveries_service_client::DeliveriesServiceClient;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use contracts::webhook::v1::{AddEndpointRequest, SendTestEventRequest};
use e2e::{Client, WebClient, eventually};
use tokio::process::Child;

use crate::child;
use crate::economy::games::Games;
use crate::fleet::BenchFleet;
use crate::results::{Measure, Report};
use crate::side::{Length, Side, compare_for};
use crate::webhooks::receiver::Receiver;
use crate::wrk::Request;

/// Rows of a page of deliveries.
const DELIVERIES: usize = 100;
/// There are many kinds of pages, so each has less time than the sides of other benchmarks.
const LENGTH: Length = Length {
    rounds: 3,
    seconds: 4,
};
/// Pages of the public site and of the documentation whose address is always the same.
const PAGES: [(&str, &str); 16] = [
    ("start page", "/"),
    ("list of games", "/games"),
    ("search", "/search?q=puzzle"),
    ("list of creators", "/creators"),
    ("list of events", "/events"),
    ("a country's page", "/countries/KE"),
    ("a board", "/rankings/games/week"),
    ("vote", "/vote"),
    ("list of currencies", "/economy"),
    ("how rates are worked out", "/about/rates"),
    ("feed of games", "/games/feed.xml"),
    ("calendar of events", "/events/calendar.ics"),
    ("a file of the sitemap", "/sitemap/games-1.xml"),
    ("a guide", "/docs/first-call"),
    ("the longest guide", "/docs/webhooks"),
    ("an operation of the reference", "/docs/reference/listGames"),
];

/// What a page is compared with.
const BESIDE_BARE: &str =
    "compared with a bare axum server that has the same bytes ready, 64 callers";

pub(crate) async fn run(report: &mut Report) {
    let receiver = Receiver::start().await;
    let bench = BenchFleet::up_with(&[
        ("WEBHOOK_ALLOW", &format!("http://{}", receiver.host(0))),
        ("WEB_PAGES_PER_MINUTE", "4000000000"),
        ("WEB_PERSON_PAGES_PER_MINUTE", "4000000000"),
    ])
    .await;
    let pages = Pages::sign_in(&bench).await;
    let endpoint = pages.deliver(&receiver).await;
    let deliveries = format!("{}/webhooks/{endpoint}/deliveries", pages.account);
    let keys = format!("{}/keys", pages.account);
    for (name, path) in [("keys", &keys), ("100 deliveries", &deliveries)] {
        pages.beside_bare(report, name, path, "0.5").await;
    }
    for (name, path) in PAGES {
        pages.beside_bare(report, name, path, "").await;
    }
    pages.listings(report).await;
    pages.currencies(report).await;
    openapi(report, &bench).await;
}

/// The pages for the owner of a ready-made account whose plan has webhooks.
struct Pages<'a> {
    bench: &'a BenchFleet,
    client: WebClient,
    /// The path of the account's pages.
    account: String,
}

impl<'a> Pages<'a> {
    async fn sign_in(bench: &'a BenchFleet) -> Self {
        let mut client = WebClient::new(&bench.fleet);
        let account = client.sign_in(bench.fleet.account("partner")).await;
        Self {
            bench,
            client,
            account,
        }
    }

    /// Delivers test events to an endpoint of the account; returns its id.
    async fn deliver(&self, receiver: &Receiver) -> String {
        let service = self.bench.fleet.rpc_client("webhook-svc").await;
        let account_id = self.account.rsplit('/').next().unwrap().to_owned();
        let request = AddEndpointRequest {
            account_id: account_id.clone(),
            url: format!("http://{}/in", receiver.host(0)),
            events: vec!["listing.updated".to_owned()],
        };
        let endpoints = EndpointsServiceClient::new(service.clone());
        let added = eventually("webhook-svc knows the account", async || {
            endpoints.clone().add_endpoint(request.clone()).await.ok()
        })
        .await;
        let endpoint_id = added.into_inner().endpoint.unwrap().id;
        let mut deliveries = DeliveriesServiceClient::new(service);
        for _ in 0..DELIVERIES {
            let request = SendTestEventRequest {
                account_id: account_id.clone(),
                endpoint_id: endpoint_id.clone(),
                ..SendTestEventRequest::default()
            };
            deliveries.send_test_event(request).await.unwrap();
        }
        eventually("all test events have arrived", async || {
            let count = receiver.count().await;
            (count >= u64::try_from(DELIVERIES).unwrap()).then_some(())
        })
        .await;
        endpoint_id
    }

    fn side(&self, name: &'static str, path: &str) -> Side {
        let request = Request::get(&format!("{}{path}", self.client.base));
        let cookie = self.client.cookie_header().unwrap();
        Side {
            name,
            request: request.with_header(&format!("Cookie: {cookie}")),
            processes: ["web", "gateway", "catalogue-svc", "webhook-svc", "redis"]
                .map(|name| self.bench.process(name))
                .into(),
        }
    }

    /// A page, beside a server that has its bytes ready.
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
        let measure = Measure::new(format!("page of web, {name}: {BESIDE_BARE}"));
        let (_bare, bare) = bare(self.bench, &page).await;
        let side = self.side(name, path);
        let measure = measure.required(required);
        compare_for(LENGTH, report, &measure, [&bare, &side]).await;
    }

    /// Pages of listings. The page of a game is also compared with `GET /games/{slug}`.
    async fn listings(&self, report: &mut Report) {
        let api = Client::new(&self.bench.fleet, &self.bench.key);
        let (game, event) = (api.get("/games").await, api.get("/events").await);
        let city = api.get("/cities").await;
        let text = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap().to_owned();
        let (game, event) = (&game.data()[0], &event.data()[0]);
        let creator = text(&game["creator"], "handle");
        let (game, event) = (text(game, "slug"), text(event, "slug"));
        let city = text(&city.data()[0], "slug");
        for (name, path) in [
            ("a creator's page", format!("/creators/{creator}")),
            ("a city's page", format!("/cities/{city}")),
            ("an event's page", format!("/events/{event}")),
        ] {
            self.beside_bare(report, name, &path, "").await;
        }
        let path = format!("/games/{game}");
        self.beside_bare(report, "a game's page", &path, "").await;
        let api = Request::get(&format!("{}{path}", self.bench.fleet.base_url));
        let api = Side {
            name: "GET /games/{slug}",
            request: api.with_key(&self.bench.key),
            processes: ["gateway", "catalogue-svc", "redis"]
                .map(|name| self.bench.process(name))
                .into(),
        };
        let measure = Measure::new(
            "page of web, a game: compared with GET /games/{slug} through the gateway",
        );
        let page = self.side("a game's page", &path);
        compare_for(LENGTH, report, &measure.required("0.5"), [&api, &page]).await;
    }

    /// Pages of currencies that have reported.
    async fn currencies(&self, report: &mut Report) {
        let fleet = &self.bench.fleet;
        let mut games = Games::open(fleet, "bench").await;
        games.grow(fleet, 2).await;
        games.report_all(fleet).await;
        let path = "/economy/bench-0";
        // The list of currencies may be ten seconds old.
        let mut visitor = WebClient::new(fleet);
        eventually("the page of a new currency", async || {
            let page = visitor.get(path).await;
            (page.status == 200).then_some(())
        })
        .await;
        self.beside_bare(report, "a currency's rates", path, "")
            .await;
    }
}

/// The OpenAPI document, beside a server that has its bytes ready; and unchanged (304), beside the document.
async fn openapi(report: &mut Report, bench: &BenchFleet) {
    let url = format!("{}/openapi.json", bench.fleet.base_url);
    let document = reqwest::get(&url).await.unwrap();
    let document = document.error_for_status().unwrap();
    let etag = document.headers()["etag"].to_str().unwrap().to_owned();
    let document = document.bytes().await.unwrap();
    let side = |name, request| Side {
        name,
        request,
        processes: vec![bench.process("gateway")],
    };
    let whole = side("GET /openapi.json", Request::get(&url));
    let unchanged = Request::get(&url).with_header(&format!("If-None-Match: {etag}"));
    let unchanged = side("304", unchanged);
    let (_bare, bare) = bare(bench, &document).await;
    let measure = Measure::new(format!("GET /openapi.json: {BESIDE_BARE}"));
    compare_for(LENGTH, report, &measure, [&bare, &whole]).await;
    let measure = Measure::new("GET /openapi.json: 304 compared with the whole document");
    compare_for(LENGTH, report, &measure, [&whole, &unchanged]).await;
}

/// A process that has these bytes ready, which ends with what is returned.
async fn bare(bench: &BenchFleet, body: &[u8]) -> (Child, Side) {
    let body = bench.small.write("page.html", body);
    let address = child::free_address();
    let process = child::own(&["static-body", &address, &body], &address).await;
    let side = Side {
        name: "bare axum",
        request: Request::get(&format!("http://{address}/")),
        processes: vec![child::process("bare axum", &process)],
    };
    (process, side)
}
