//! The first page of a review queue in which 100,000 listings wait, beside one in which 100 do: two fleets, asked in turns.

use std::time::Duration;

use contracts::common::v1::Mode;
use contracts::listings::v1::events_service_client::EventsServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use contracts::listings::v1::{Author, CreateEventRequest, ListQueueRequest, Writing};
use e2e::{Fleet, SmallFleet, dial};
use futures::stream::{self, StreamExt as _};
use kit::rpc::client::Client as Channel;
use serde_json::json;
use tokio::time::Instant;

use crate::results::{Measure, Report};

const SHORT: u32 = 100;
const LONG: u32 = 100_000;
/// How many of one account may wait (§8).
const OF_AN_ACCOUNT: u32 = 10;
/// Events that are being sent in at once.
const AT_ONCE: usize = 64;
const ROUNDS: usize = 21;
/// Pages asked for in a round, one after the other.
const PAGES: u32 = 200;

pub(crate) async fn run(report: &mut Report) {
    let (mut one, mut other) = (SmallFleet::new(), SmallFleet::new());
    let mut short = Queue::of(&one.up().await).await;
    let mut long = Queue::of(&other.up().await).await;
    short.fill(SHORT).await;
    long.fill(LONG).await;
    let (mut shorts, mut longs) = (Vec::new(), Vec::new());
    for queue in [&mut short, &mut long] {
        queue.page_time().await;
    }
    for _ in 0..ROUNDS {
        shorts.push(short.page_time().await);
        longs.push(long.page_time().await);
    }
    let ratios = longs.iter().zip(&shorts);
    let ratios: Vec<f64> = ratios
        .map(|(long, short)| long.as_secs_f64() / short.as_secs_f64())
        .collect();
    let measure = Measure::new(format!(
        "first page of a review queue of {LONG} events compared with one of {SHORT}; time"
    ));
    let [long, short] = [longs, shorts].map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2]
    });
    let details = format!("{long:.2?} a page; {short:.2?}");
    report.ratio(measure.required("1.5"), &ratios, &details);
}

/// A review queue.
struct Queue {
    events: EventsServiceClient<Channel>,
    reviews: StaffReviewServiceClient<Channel>,
}

impl Queue {
    async fn of(fleet: &Fleet) -> Self {
        let token = fleet.staff_token.clone().into();
        let staff = dial(&fleet.service("listings-svc").grpc, &token).await;
        Self {
            events: EventsServiceClient::new(fleet.rpc_client("listings-svc").await),
            reviews: StaffReviewServiceClient::new(staff),
        }
    }

    /// Has so many events wait, of as many accounts as that takes.
    async fn fill(&self, waiting: u32) {
        let accounts: Vec<String> = (0..waiting.div_ceil(OF_AN_ACCOUNT))
            .map(|_| uuid::Uuid::from_bytes(*kit::ids::row_id().as_bytes()).to_string())
            .collect();
        let send = async |n: u32| {
            let body = json!({
                "title": format!("Event {n}"), "kind": "meetup", "starts_at": "2027-02-28", "country_code": "GH", "city": "Accra",
            });
            let writing = Writing {
                author: Some(Author {
                    account_id: accounts[(n / OF_AN_ACCOUNT) as usize].clone(),
                    mode: Mode::Live.into(),
                    writes_per_day: None,
                }),
                body: body.to_string().into(),
                ..Writing::default()
            };
            let request = CreateEventRequest {
                writing: Some(writing),
            };
            self.events.clone().create_event(request).await.unwrap();
        };
        let sending = stream::iter(0..waiting);
        sending.for_each_concurrent(AT_ONCE, send).await;
        let request = ListQueueRequest {
            count: true,
            ..ListQueueRequest::default()
        };
        let queue = self.reviews.clone().list_queue(request).await.unwrap();
        assert_eq!(queue.into_inner().total, Some(waiting.into()));
    }

    /// The time of its first page, on average over a round.
    async fn page_time(&mut self) -> Duration {
        let start = Instant::now();
        for _ in 0..PAGES {
            let page = self.reviews.list_queue(ListQueueRequest::default()).await;
            assert_eq!(page.unwrap().into_inner().items.len(), 20);
        }
        start.elapsed() / PAGES
    }
}
