//! Followers notice a missing change; staff list, forget and replay followers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use contracts::common::v1::staff_dead_letter_service_client::StaffDeadLetterServiceClient;
use contracts::common::v1::{
    Change, ForgetFollowerRequest, ListFollowersRequest, ListFollowersResponse, ReplayFeedRequest,
};
use kit::feed::{Consumer, Cursor, DeadLetterService, PgConsumer, StreamStart, consume};
use kit::rpc::client::Client;
use kit::{Code, Fault};
use sqlx::PgPool;
use testing::wait_until;
use uuid::Uuid;

use super::support::{FEED, Fixture, Mirror, SCHEMA};

/// Counts the streams that a follower begins.
struct Counted {
    consumer: PgConsumer<Mirror, Client>,
    streams: Arc<AtomicUsize>,
}

impl Consumer for Counted {
    const PAUSE: Duration = Duration::ZERO;

    fn producer(&self) -> &'static str {
        self.consumer.producer()
    }

    async fn cursor(&mut self) -> anyhow::Result<Option<Cursor>> {
        self.consumer.cursor().await
    }

    fn may_miss_until(&self, stream: &StreamStart) -> i64 {
        self.consumer.may_miss_until(stream)
    }

    async fn start(&mut self, stream: StreamStart) -> anyhow::Result<()> {
        self.streams.fetch_add(1, Ordering::SeqCst);
        self.consumer.start(stream).await
    }

    async fn handle_batch(&mut self, epoch: Uuid, changes: Vec<Change>) -> anyhow::Result<()> {
        self.consumer.handle_batch(epoch, changes).await
    }
}

#[testing::database_test]
async fn a_follower_does_not_skip_a_missing_change(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let following = fixture.follow_into(&pool);
    fixture.set("a").await;
    fixture.caught_up().await;
    following.stopping().cancel();
    for id in ["b", "c", "d"] {
        fixture.set(id).await;
    }
    for lose in [
        "create table kit.lost as select * from kit.feed where seq = 3",
        "delete from kit.feed where seq = 3",
    ] {
        sqlx::query(lose).execute(&pool).await.unwrap();
    }

    // Another process: this one has the changes in memory.
    let fixture = Fixture::again(&pool).await;
    let streams = Arc::new(AtomicUsize::new(0));
    let consumer = Counted {
        consumer: PgConsumer::new(pool.clone(), FEED, fixture.client.clone(), Mirror),
        streams: Arc::clone(&streams),
    };
    let following = consume(fixture.client.clone(), "mirror", consumer, None);
    fixture.lifecycle.spawn_background("mirror", following);
    wait_until("it reads again", async || {
        streams.load(Ordering::SeqCst) > 2
    })
    .await;
    let mirrored = fixture.mirror().await;
    assert!(mirrored.iter().all(|(id, _)| id != "d"), "{mirrored:?}");

    let restore = "insert into kit.feed select * from kit.lost";
    sqlx::query(restore).execute(&pool).await.unwrap();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await, fixture.notes().await);
}

/// The staff calls of a service that has a feed and follows it.
async fn staff(fixture: &Fixture) -> StaffDeadLetterServiceClient<Client> {
    sqlx::raw_sql(
        "create table kit.audit (id uuid, at timestamptz, member text, role text, action text, entity text, name text,
             refused boolean, details jsonb)",
    )
    .execute(&fixture.pool)
    .await
    .unwrap();
    let clock = fixture.clock.clone();
    let mut service = DeadLetterService::new(fixture.pool.clone(), SCHEMA, clock);
    service.add("notes", fixture.client.clone(), Mirror);
    let mut services = kit::rpc::server::services();
    services.add_service(service.into_server());
    let address = testing::serve(services, &fixture.lifecycle).await.unwrap();
    let client = testing::staff_client(&address, &fixture.lifecycle).unwrap();
    StaffDeadLetterServiceClient::new(client)
}

async fn list(staff: &mut StaffDeadLetterServiceClient<Client>) -> ListFollowersResponse {
    let listed = staff.list_followers(ListFollowersRequest {}).await;
    listed.unwrap().into_inner()
}

async fn audited(pool: &PgPool) -> Vec<(String, String)> {
    sqlx::query_as("select action, name from kit.audit")
        .fetch_all(pool)
        .await
        .unwrap()
}

#[testing::database_test]
async fn staff_forget_a_follower_that_has_left(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let mut staff = staff(&fixture).await;
    let following = fixture.follow_into(&pool);
    fixture.set("a").await;
    fixture.set("poison").await;
    fixture.caught_up().await;
    wait_until("it acknowledges", async || {
        list(&mut staff).await.followers[0].lag == 0
    })
    .await;
    let listed = list(&mut staff).await;
    let follower = &listed.followers[0];
    assert_eq!((&*follower.name, follower.seq), ("mirror", 2));
    let followed = &listed.followed[0];
    let found = (&*followed.producer, followed.seq, followed.dead_letters);
    assert_eq!(found, ("notes", Some(2), 1));

    let request = || ForgetFollowerRequest {
        name: "mirror".to_owned(),
    };
    let refused = staff.forget_follower(request()).await.unwrap_err();
    assert_eq!(Fault::from(refused).code, Code::NotFound, "it is connected");
    following.stopping().cancel();
    // Its last acknowledgement may still be under way.
    wait_until("it is forgotten", async || {
        let left = "update kit.feed_follower set seen_at = seen_at - interval '1 hour'";
        sqlx::query(left).execute(&pool).await.unwrap();
        staff.forget_follower(request()).await.is_ok()
    })
    .await;
    assert_eq!(list(&mut staff).await.followers, []);
    assert_eq!(
        audited(&pool).await,
        [("forget_follower".to_owned(), "mirror".to_owned())]
    );
}

#[testing::database_test]
async fn staff_replay_a_feed(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let mut staff = staff(&fixture).await;
    fixture.follow();
    fixture.caught_up().await;
    for id in ["a", "b", "c"] {
        fixture.set(id).await;
    }
    fixture.caught_up().await;
    sqlx::raw_sql("delete from kit.mirror where id <> 'a'; delete from kit.taken")
        .execute(&pool)
        .await
        .unwrap();
    let mut replay = async |from_seq| {
        let request = ReplayFeedRequest {
            producer: "notes".to_owned(),
            from_seq,
        };
        staff.replay_feed(request).await
    };
    let code = |refused: tonic::Status| Fault::from(refused).code;
    assert_eq!(code(replay(0).await.unwrap_err()), Code::Invalid);
    assert_eq!(code(replay(4).await.unwrap_err()), Code::NotFound);
    assert_eq!(replay(2).await.unwrap().into_inner().to_seq, 3);
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await, fixture.notes().await);
    fixture.set("d").await;
    fixture.caught_up().await;
    let taken: Vec<(i64, bool)> = sqlx::query_as("select seq, acted from kit.taken order by seq")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(taken, [(2, false), (3, false), (4, true)]);
    assert_eq!(
        audited(&pool).await,
        [("replay_feed".to_owned(), "notes".to_owned())]
    );
}
