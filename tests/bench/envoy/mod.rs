//! GET /games, 20 rows, through the whole path beside Envoy: first as Envoy renders the typed answer of the same catalogue-svc, then as
//! it hands over bytes that are ready ([`http_body`]).
//!
//! Envoy does neither key nor quota nor envelope; it is what one would put in front of the services instead of writing a gateway.

mod config;
pub(crate) mod http_body;

use std::path::Path;
use std::thread::available_parallelism;

use serde_json::{Value, json};
use tokio::process::Child;

use crate::child;
use crate::fleet::BenchFleet;
use crate::results::{Measure, Report};
use crate::side::{Side, compare};
use crate::wrk::Request;
use config::Front;

/// The typed call that answers what GET /games does.
const LIST_GAMES: &str = "/catalogue.v1.GamesService/ListGames";

pub(crate) async fn run(report: &mut Report, program: &str) {
    let bench = BenchFleet::up().await;
    let (answer, _) = bench.games().await;
    let body = bench.small.write("answer.json", &answer);
    let upstream = child::free_address();
    let ready = child::own(&["http-body", &upstream, &body], &upstream).await;

    let typed_front = typed(&bench);
    let ready_front = Front {
        name: "ready",
        listen: child::free_address(),
        upstream,
        descriptors: bench.small.write("ready.bin", http_body::descriptors()),
        service: http_body::SERVICE,
        token: None,
    };
    let config = config::of(&[&typed_front, &ready_front]);
    let config = bench.small.write("envoy.json", config.to_string());
    let envoy = start(program, &config, &typed_front.listen).await;

    let asked = json!({ "mode": "MODE_LIVE", "page": { "limit": 20 } });
    let typed_url = format!("http://{}{LIST_GAMES}", typed_front.listen);
    let rendered: Value = serde_json::from_str(&call(&typed_url, &asked).await).unwrap();
    let rows = rendered["games"].as_array().map(Vec::len);
    assert_eq!(rows, Some(20), "{rendered}");
    let ready_url = format!("http://{}{}", ready_front.listen, http_body::PATH);
    assert_eq!(call(&ready_url, &json!({})).await, answer);

    let whole = bench.whole_path();
    let script = |name: &str, body: &Value| {
        let lua = format!(
            "wrk.method = \"POST\"\nwrk.body = [[{body}]]\nwrk.headers[\"content-type\"] = \"application/json\"\n"
        );
        bench.small.write(name, lua)
    };
    let rendering = Side {
        name: "Envoy, rendering",
        request: Request::get(&typed_url).with_script(&script("typed.lua", &asked)),
        processes: vec![
            child::process("envoy", &envoy),
            bench.process("catalogue-svc"),
        ],
    };
    let measure = Measure::new(
        "GET /games, 20 rows: the whole path compared with Envoy's grpc_json_transcoder on the same catalogue-svc, without key, quota and envelope",
    );
    compare(report, &measure.required("2.5"), &rendering, &whole).await;
    let handing_over = Side {
        name: "Envoy, handing over",
        request: Request::get(&ready_url).with_script(&script("ready.lua", &json!({}))),
        processes: vec![
            child::process("envoy", &envoy),
            child::process("http-body", &ready),
        ],
    };
    let measure = Measure::new(
        "GET /games, 20 rows: the whole path compared with Envoy that forwards ready bytes (google.api.HttpBody)",
    );
    compare(report, &measure.required("1.0"), &handing_over, &whole).await;
}

/// Envoy in front of the fleet's own catalogue-svc.
fn typed(bench: &BenchFleet) -> Front {
    let fleet = &bench.fleet;
    Front {
        name: "typed",
        listen: child::free_address(),
        upstream: fleet.service("catalogue-svc").grpc.clone(),
        descriptors: bench.small.write("typed.bin", contracts::DESCRIPTORS),
        service: "catalogue.v1.GamesService",
        token: Some(fleet.service_token.clone()),
    }
}

/// Envoy with as many workers as there are cores, and no access log.
async fn start(program: &str, config: &str, address: &str) -> Child {
    assert!(
        Path::new(program).is_file(),
        "there is no {program}: give the path of an envoy binary"
    );
    let workers = available_parallelism().map_or(1, usize::from).to_string();
    let args = [
        "-c",
        config,
        "--concurrency",
        &workers,
        "--log-level",
        "error",
        "--disable-hot-restart",
    ];
    child::start(program, &args, address).await
}

/// What Envoy answers to `body`, with 200.
async fn call(url: &str, body: &Value) -> String {
    let request = reqwest::Client::new().post(url).json(body);
    let response = request.send().await.unwrap();
    let status = response.status();
    let text = response.text().await.unwrap();
    assert_eq!(status, 200, "{url}: {text}");
    text
}
