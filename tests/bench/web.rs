//! The page of a game, compared with the same game through the API.

use e2e::Client;

use crate::fleet::BenchFleet;
use crate::results::{Measure, Report};
use crate::side::{Side, compare};
use crate::wrk::Request;

pub(crate) async fn run(report: &mut Report) {
    let limits =
        ["WEB_PAGES_PER_MINUTE", "WEB_PERSON_PAGES_PER_MINUTE"].map(|name| (name, "4000000000"));
    let bench = BenchFleet::up_with(&limits, &[]).await;
    let (fleet, key) = (&bench.fleet, &bench.key);
    let games = Client::new(fleet, key).get("/games").await;
    let path = format!("/games/{}", games.data()[0]["slug"].as_str().unwrap());
    let api = Side {
        name: "GET /games/{slug}",
        request: Request::get(&format!("{}{path}", fleet.base_url)).with_key(key),
        processes: bench.processes(&["gateway", "catalogue-svc", "redis"]),
    };
    let site = fleet.dashboard_url.trim_end_matches('/');
    let page = Side {
        name: "a game's page",
        request: Request::get(&format!("{site}{path}")),
        processes: bench.processes(&["web", "gateway", "catalogue-svc", "redis"]),
    };
    let measure =
        Measure::new("page of web, a game: compared with GET /games/{slug} through the gateway");
    compare(report, &measure.required("0.5"), &api, &page).await;
}
