//! Texts from callers appear neither in labels of metrics nor in logs. A caller may send any number of them, and a series is never dropped.

use e2e::{Fleet, Service};
use futures::{StreamExt as _, stream};
use reqwest::{Client, Method, RequestBuilder};

/// More than the number of series that other tests may add at the same time. A text that became a label would add at least one series.
const TEXTS: usize = 200;
const CONCURRENT: usize = 8;

/// A part of every text.
const MARKER: &str = "Zzinventedzz";
/// All texts of a request together fit into the head that gRPC servers accept.
const LONG: usize = 500;

fn text(number: usize) -> String {
    format!("{MARKER}{number}{}", "Z".repeat(LONG))
}

/// Sets everything that a caller can choose, except the method and the path.
fn with_headers(request: RequestBuilder, number: usize) -> RequestBuilder {
    let text = text(number);
    request
        .header("host", format!("{MARKER}-{number}.example"))
        .header("x-request-id", &text)
        .header("traceparent", &text)
        .header("user-agent", &text)
        .header("accept-language", &text)
        .header("x-forwarded-for", format!("203.0.113.{}", number % 256))
        .header(format!("x-{text}"), &text)
}

/// Requests to an HTTP/1.1 port that serves the path `known`.
fn to_http_port(client: &Client, known: &str, number: usize) -> [RequestBuilder; 2] {
    let unknown = client.get(format!("{known}/{}", text(number)));
    let method = Method::from_bytes(text(number).as_bytes()).unwrap();
    [client.request(method, known), with_headers(unknown, number)]
}

fn to_internal_port(
    client: &Client,
    fleet: &Fleet,
    service: &Service,
    number: usize,
) -> [RequestBuilder; 4] {
    let call = |path: String| {
        let call = client
            .post(format!("{}/{path}", service.grpc))
            .header("content-type", "application/grpc");
        // An empty message.
        call.body(vec![0; 5])
    };
    let (text, health) = (text(number), "grpc.health.v1.Health");
    [
        call(format!("{health}/{text}")),
        call(format!("listings.v1.{text}/Follow")).bearer_auth(&fleet.service_token),
        call(format!("listings.v1.Staff{text}/Decide")).bearer_auth(&fleet.staff_token),
        with_headers(call(format!("{health}/Check")), number)
            .bearer_auth(&text)
            .header("grpc-timeout", &text),
    ]
}

/// Sends requests, and checks that no response is an internal error.
async fn send(requests: impl IntoIterator<Item = RequestBuilder>) {
    let answers = stream::iter(requests).map(async |request| {
        let answer = request.send().await.unwrap();
        assert_ne!(answer.status(), 500);
    });
    answers.buffer_unordered(CONCURRENT).collect::<()>().await;
}

/// The series of a service, one per line, without the buckets of histograms.
async fn series(service: &Service) -> Vec<String> {
    let metrics = reqwest::get(&service.metrics).await.unwrap().text().await.unwrap();
    assert!(!metrics.contains(MARKER), "{}", service.name);
    let lines = metrics.lines().filter(|line| {
        let is_bucket = line.contains("_bucket{");
        !is_bucket && !line.starts_with('#') && !line.is_empty()
    });
    lines.map(ToOwned::to_owned).collect()
}

#[tokio::test]
async fn texts_of_callers_make_no_series_and_are_not_logged() {
    let fleet = Fleet::shared();
    let http1 = Client::new();
    let http2 = Client::builder().http2_prior_knowledge().build().unwrap();
    let key = &fleet.account("unlimited").keys.live;
    for service in &fleet.services {
        let before = series(service).await;
        // The gateway limits calls without a key, so the requests to its public port send one.
        let known = match service.name.as_str() {
            "gateway" => "/v1/games",
            _ => "/games",
        };
        let public = service.http.as_ref().map(|it| format!("{it}{known}"));
        send((0..TEXTS).flat_map(|number| {
            let mut requests = Vec::from(to_http_port(&http1, &service.health, number));
            requests.extend(to_internal_port(&http2, &fleet, service, number));
            if let Some(known) = &public {
                let public = to_http_port(&http1, known, number);
                requests.extend(public.map(|request| request.bearer_auth(key)));
            }
            requests
        }))
        .await;
        let after = series(service).await;
        let new: Vec<&String> = after.iter().filter(|line| !before.contains(line)).collect();
        assert!(after.len() < before.len() + TEXTS, "{}: {new:?}", service.name);
    }
    let logs = fleet.mail_dir.with_file_name("logs");
    for log in std::fs::read_dir(logs).unwrap() {
        let log = std::fs::read_to_string(log.unwrap().path()).unwrap();
        let line = log.lines().find(|line| line.contains(MARKER));
        assert_eq!(line, None);
    }
}
