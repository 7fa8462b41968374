//! From the approval of a listing to the arrival of its message, on a fleet that does nothing else.

use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::listings::v1::events_service_client::EventsServiceClient;
use contracts::listings::v1::{Author, CreateEventRequest, Writing};
use contracts::webhook::v1::AddEndpointRequest;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use e2e::{Fleet, Staff, eventually};
use kit::rpc::client::Client as Channel;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use crate::results::{Measure, Report};

/// Listings that are approved, one after the other.
const APPROVALS: usize = 300;
/// Between two: followers of a feed leave 50 ms between what they take in, and a change after a rest comes at once.
const REST: Duration = Duration::from_millis(100);
/// How many of one account may wait (§8).
const OF_AN_ACCOUNT: usize = 10;

/// A receiver in this process, of one connection at a time.
pub(super) struct Arrivals {
    listener: TcpListener,
    /// `127.0.0.1:port`.
    pub(super) host: String,
}

impl Arrivals {
    pub(super) async fn bind() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        Self { listener, host }
    }

    /// The slug that the next message is about.
    async fn next(&self) -> String {
        let (mut connection, _) = self.listener.accept().await.unwrap();
        let mut request = Vec::new();
        loop {
            if connection.read_buf(&mut request).await.unwrap() == 0 {
                // The check of the address, when the endpoint was added.
                (connection, _) = self.listener.accept().await.unwrap();
                request.clear();
                continue;
            }
            let text = str::from_utf8(&request).unwrap();
            let body = text.split_once("\r\n\r\n").map(|(_, body)| body);
            let body: Option<Value> = body.and_then(|body| serde_json::from_str(body).ok());
            if let Some(body) = body {
                let answer = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
                connection.write_all(answer).await.unwrap();
                return body["data"]["slug"].as_str().unwrap().to_owned();
            }
        }
    }
}

pub(super) async fn run(report: &mut Report, fleet: &Fleet, arrivals: &Arrivals) {
    let staff = Staff::of(fleet).await;
    let events = EventsServiceClient::new(fleet.rpc_client("listings-svc").await);
    add_endpoint(fleet, &arrivals.host).await;
    let (mut slugs, mut account) = (Vec::with_capacity(APPROVALS), String::new());
    for number in 0..APPROVALS {
        if number % OF_AN_ACCOUNT == 0 {
            account = uuid::Uuid::from_bytes(*kit::ids::row_id().as_bytes()).to_string();
        }
        slugs.push(submit(&events, &account, number).await);
    }
    let mut times = Vec::with_capacity(APPROVALS);
    for slug in slugs {
        sleep(REST).await;
        let begun = Instant::now();
        let (arrived, ()) = tokio::join!(
            async { (arrivals.next().await, begun.elapsed()) },
            staff.approve("event", &slug)
        );
        assert_eq!(arrived.0, slug);
        times.push(arrived.1);
    }
    times.sort_unstable();
    for percent in [50, 99] {
        let measure = Measure::new(format!(
            "from the approval of an event until its message arrives, on an idle fleet: p{percent} of {APPROVALS}, ms"
        ));
        let time = times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e3;
        report.figure(measure, format!("{time:.1}"), "");
    }
}

async fn add_endpoint(fleet: &Fleet, host: &str) {
    let account = Staff::of(fleet).await.account("unlimited").await;
    let endpoints = EndpointsServiceClient::new(fleet.rpc_client("webhook-svc").await);
    eventually("webhook-svc knows the account", async || {
        let request = AddEndpointRequest {
            account_id: account.account.id.clone(),
            url: format!("http://{host}/in"),
            events: vec!["listing.published".to_owned()],
        };
        endpoints.clone().add_endpoint(request).await.ok()
    })
    .await;
}

/// Sends an event in; its slug.
async fn submit(events: &EventsServiceClient<Channel>, account: &str, number: usize) -> String {
    let body = json!({
        "title": format!("Event {number}"), "kind": "meetup", "starts_at": "2027-02-28", "country_code": "GH", "city": "Accra",
    });
    let writing = Writing {
        author: Some(Author {
            account_id: account.to_owned(),
            mode: Mode::Live.into(),
            writes_per_day: None,
        }),
        body: body.to_string().into(),
        ..Writing::default()
    };
    let request = CreateEventRequest {
        writing: Some(writing),
    };
    let created = events.clone().create_event(request).await.unwrap();
    created.into_inner().written.unwrap().slug.unwrap()
}
