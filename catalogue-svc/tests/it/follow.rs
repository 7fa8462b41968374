//! Following a producer that speaks the real protocol.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use catalogue::domain::listing::Mode;
use catalogue::feeds::listings::Follower;
use catalogue::index::{Catalogue, Snapshot};
use contracts::common::v1::feed_service_server::{FeedService, FeedServiceServer};
use contracts::common::v1::follow_response::{Batch, Message, Start};
use contracts::common::v1::{
    Change, FollowRequest, FollowResponse, ListChangesRequest, ListChangesResponse,
};
use futures::{Stream, stream};
use kit::Lifecycle;
use kit::admin::Readiness;
use kit::rpc::client::{Client, Transport};
use prost_types::Timestamp;
use testing::connect;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::build::{EPOCH, SITE, game, game_change, page, page_change};

/// A feed whose rows the test writes.
#[derive(Debug, Clone)]
struct Fake {
    feed: Arc<Mutex<(Uuid, Vec<Change>)>>,
    news: Arc<watch::Sender<()>>,
    follows: Arc<AtomicU32>,
}

impl Fake {
    fn new() -> Self {
        Self {
            feed: Arc::new(Mutex::new((EPOCH, Vec::new()))),
            news: Arc::new(watch::Sender::new(())),
            follows: Arc::default(),
        }
    }

    fn write(&self, changes: Vec<Change>) {
        let mut feed = self.feed.lock().unwrap();
        for mut change in changes {
            change.seq = i64::try_from(feed.1.len()).unwrap() + 1;
            feed.1.push(change);
        }
        drop(feed);
        self.news.send_replace(());
    }

    /// A backup was restored, or a replica promoted: another epoch, with these rows.
    fn restore(&self, epoch: Uuid, changes: Vec<Change>) {
        *self.feed.lock().unwrap() = (epoch, Vec::new());
        self.write(changes);
    }

    /// How often it was followed.
    fn follows(&self) -> u32 {
        self.follows.load(Ordering::Relaxed)
    }

    fn look(&self) -> (Uuid, Vec<Change>) {
        self.feed.lock().unwrap().clone()
    }
}

#[tonic::async_trait]
impl FeedService for Fake {
    type FollowStream = Pin<Box<dyn Stream<Item = Result<FollowResponse, Status>> + Send>>;

    async fn follow(
        &self,
        request: Request<FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        self.follows.fetch_add(1, Ordering::Relaxed);
        let request = request.into_inner();
        let (epoch, rows) = self.look();
        let reset = request.epoch != epoch.to_string();
        let start = Message::Start(Start {
            epoch: epoch.to_string(),
            head_seq: rows.last().map_or(0, |change| change.seq),
            head_at: Some(Timestamp::default()),
            reset,
        });
        let after = if reset { 0 } else { request.after_seq };
        let from = (self.clone(), self.news.subscribe(), after, Some(start));
        let messages = stream::unfold(from, move |(fake, mut news, after, start)| async move {
            if let Some(start) = start {
                return Some((start, (fake, news, after, None)));
            }
            loop {
                news.mark_unchanged();
                let (now, mut changes) = fake.look();
                if now != epoch {
                    return None;
                }
                changes.retain(|change| change.seq > after);
                if let Some(last) = changes.last() {
                    let after = last.seq;
                    return Some((
                        Message::Batch(Batch {
                            changes,
                            head_seq: after,
                        }),
                        (fake, news, after, None),
                    ));
                }
                news.changed().await.unwrap();
            }
        });
        let responses = futures::StreamExt::map(messages, |message| {
            Ok(FollowResponse {
                message: Some(message),
            })
        });
        Ok(Response::new(Box::pin(responses)))
    }

    async fn list_changes(
        &self,
        _: Request<ListChangesRequest>,
    ) -> Result<Response<ListChangesResponse>, Status> {
        Err(Status::unimplemented("a follower lists nothing"))
    }
}

/// Serves the feed on a port of its own; returns a channel to it.
async fn serve(fake: &Fake, lifecycle: &Lifecycle) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let router =
        tonic::transport::Server::builder().add_service(FeedServiceServer::new(fake.clone()));
    lifecycle.spawn_background("fake feed", async move {
        let connections = TcpListenerStream::new(listener);
        Ok(router.serve_with_incoming(connections).await?)
    });
    client(&address, lifecycle)
}

fn client(address: &str, lifecycle: &Lifecycle) -> Client {
    let token = "a-token-of-thirty-two-characters".to_owned().into();
    let address = address.parse().unwrap();
    connect(address, Transport::plain(), &token, lifecycle).unwrap()
}

/// The first state that satisfies `wanted`.
async fn eventually(catalogue: &Catalogue, wanted: impl Fn(&Snapshot) -> bool) -> Arc<Snapshot> {
    testing::eventually("the catalogue has the state", async || {
        catalogue.snapshot().ok().filter(|state| wanted(state))
    })
    .await
}

/// A replica that starts.
fn start(client: Client, lifecycle: &Lifecycle) -> (Arc<Catalogue>, Readiness) {
    let catalogue = Arc::new(Catalogue::default());
    let follower = Follower::new(Arc::clone(&catalogue), SITE);
    let readiness = Readiness::default();
    let loaded = readiness.condition("the catalogue to be loaded");
    lifecycle.spawn_background("follower", follower.follow(client, loaded));
    (catalogue, readiness)
}

#[tokio::test]
async fn memory_follows_the_feed_and_rebuilds_under_a_new_epoch() {
    let (lifecycle, _supervisor) = Lifecycle::new();
    let fake = Fake::new();
    let client = serve(&fake, &lifecycle).await;
    let (catalogue, readiness) = start(client, &lifecycle);

    // An empty feed is soon followed to its end.
    let state = eventually(&catalogue, |_| true).await;
    assert_eq!((state.position.epoch, state.position.seq), (EPOCH, 0));
    fake.write(vec![page_change(&page(0)), game_change(&game(1))]);
    fake.write(vec![game_change(&game(2))]);
    let state = eventually(&catalogue, |state| state.position.seq == 3).await;
    assert_eq!(state.dataset(Mode::Live).games.len(), 2);
    assert!(readiness.missing().is_empty());

    let restored = Uuid::from_u128(0xe1);
    fake.restore(restored, vec![game_change(&game(2)), page_change(&page(0))]);
    let state = eventually(&catalogue, |state| state.position.epoch == restored).await;
    assert_eq!(state.position.seq, 2);
    assert_eq!(state.dataset(Mode::Live).games.len(), 1);
}

#[tokio::test]
async fn a_replica_is_ready_when_it_has_read_the_feed() {
    let (lifecycle, _supervisor) = Lifecycle::new();
    let (catalogue, readiness) = start(client("http://127.0.0.1:1", &lifecycle), &lifecycle);
    assert_eq!(readiness.missing(), ["the catalogue to be loaded"]);
    assert!(catalogue.snapshot().is_err());

    let fake = Fake::new();
    // The same game twice: its last state stays.
    let mut renamed = game(1);
    renamed.slug = "renamed".to_owned();
    let kind_of_tomorrow = Change {
        entity: "kind-of-tomorrow".to_owned(),
        ..page_change(&page(7))
    };
    fake.write(vec![
        game_change(&game(1)),
        kind_of_tomorrow,
        page_change(&page(0)),
        game_change(&renamed),
    ]);
    let (catalogue, readiness) = start(serve(&fake, &lifecycle).await, &lifecycle);
    testing::wait_until("it is ready", async || readiness.missing().is_empty()).await;
    let snapshot = catalogue.snapshot().unwrap();
    assert_eq!(snapshot.position.seq, 4);
    let games = &snapshot.dataset(Mode::Live).games;
    assert!(games.len() == 1 && games.get("renamed").is_some());
}

#[tokio::test]
async fn a_change_that_does_not_convert_is_left_out_and_the_feed_goes_on() {
    let (lifecycle, _supervisor) = Lifecycle::new();
    let fake = Fake::new();
    let mut bad = game(2);
    bad.created_at = None;
    fake.write(vec![page_change(&page(0)), game_change(&bad)]);
    let (catalogue, _) = start(serve(&fake, &lifecycle).await, &lifecycle);
    // Such a change at the beginning, and one on the way.
    eventually(&catalogue, |snapshot| snapshot.position.seq == 2).await;
    fake.write(vec![game_change(&game(1)), game_change(&bad)]);
    fake.write(vec![game_change(&game(3))]);
    let snapshot = eventually(&catalogue, |snapshot| snapshot.position.seq == 5).await;
    assert_eq!(snapshot.dataset(Mode::Live).games.len(), 2);
    assert_eq!(fake.follows(), 1, "the feed is streamed once");
    // Once it converts, it is there.
    fake.write(vec![game_change(&game(2))]);
    let snapshot = eventually(&catalogue, |snapshot| snapshot.position.seq == 6).await;
    assert_eq!(snapshot.dataset(Mode::Live).games.len(), 3);
}
