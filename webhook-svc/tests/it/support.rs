//! A running replica, changes of feeds, and helpers.

use std::sync::Arc;
use std::time::Duration as StdDuration;

use contracts::common::v1::{Change, Mode};
use contracts::economy::v1::Tip;
use contracts::listings::v1 as listings;
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_client::DeliveriesServiceClient;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use contracts::webhook::v1::messages_service_client::MessagesServiceClient;
use contracts::webhook::v1::receivers_service_client::ReceiversServiceClient;
use contracts::webhook::v1::staff_service_client::StaffServiceClient;
use kit::Fault;
use kit::api::timestamp;
use kit::clock::Clock;
use kit::feed::{Producer, Projection, ProjectionContext, Retention, project_changes};
use kit::jobs::Leader;
use kit::key_ring::KeyRing;
use kit::lifecycle::{Lifecycle, Supervisor};
use kit::rpc::client::Client;
use kit::wakeup::Wakeup;
use prost::Message as _;
use sqlx::PgPool;
use testing::{eventually, wait_until};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use webhook::deliver::{self, Limits};
use webhook::domain::health::DisablePolicy;
use webhook::domain::schedule::Schedule;
use webhook::feeds::Publisher;
use webhook::feeds::catalogue::Catalogue;
use webhook::feeds::economy::Economy;
use webhook::feeds::listings::Listings;
use webhook::http::resolver::Resolve;
use webhook::http::{self, Sender};
use webhook::jobs::spawn_sweep;
use webhook::service::Service;
use webhook::store::accounts;
use webhook::store::plans::{self, Plan};

use super::receiver::{NoNames, Receiver};

/// The clock's initial time.
pub(crate) const START: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);
/// A timeout that only a hanging test reaches.
pub(crate) const PATIENCE: StdDuration = testing::LONG;
pub(crate) const TAKEN: ProjectionContext =
    ProjectionContext { generation: Uuid::nil(), effects_until: OffsetDateTime::UNIX_EPOCH };

/// The base URL of the public pages.
pub(crate) const SITE: &str = "https://site.example";
/// A host name that is allowed with the ports of the receivers.
pub(crate) const HOST: &str = "hooks.example";
/// How long messages can be pulled.
pub(crate) const RETENTION: Duration = Duration::days(30);
pub(crate) const LEASE: StdDuration = StdDuration::from_secs(10);

/// Accounts: `ADA` and `BOB` on the plan `build`, `EVE` on `free`.
pub(crate) const ADA: Uuid = Uuid::from_u128(0xa);
pub(crate) const BOB: Uuid = Uuid::from_u128(0xb);
pub(crate) const EVE: Uuid = Uuid::from_u128(0xe);

/// The endpoint notices on the feed, oldest first.
pub(crate) async fn notices(pool: &PgPool) -> Vec<(String, proto::EndpointNotice)> {
    let rows = sqlx::query!(
        "select event, state from webhook.feed where entity = 'endpoint_notice' order by seq"
    )
    .fetch_all(pool)
    .await
    .unwrap()
    .into_iter();
    rows.map(|row| {
        let notice = proto::EndpointNotice::decode(&*row.state).unwrap();
        (row.event, notice)
    })
    .collect()
}

pub(crate) fn key_ring(id: &str) -> KeyRing {
    format!("{id}:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=").parse().unwrap()
}

pub(crate) struct Webhook {
    pub(crate) pool: PgPool,
    pub(crate) clock: Clock,
    pub(crate) endpoints: EndpointsServiceClient<Client>,
    pub(crate) deliveries: DeliveriesServiceClient<Client>,
    pub(crate) messages: MessagesServiceClient<Client>,
    pub(crate) receivers: ReceiversServiceClient<Client>,
    pub(crate) staff: StaffServiceClient<Client>,
    pub(crate) publisher: Publisher,
    dependencies: deliver::DeliveryDependencies,
    leader: Leader,
    lifecycle: Lifecycle,
    _supervisor: Supervisor,
}

/// Inserts three accounts on two plans, and starts a replica that may connect to `receivers`.
pub(crate) async fn start(pool: PgPool, receivers: &[&Receiver]) -> Webhook {
    insert_accounts(&pool).await;
    replica(pool, Clock::fixed(START), receivers).await
}

pub(crate) async fn insert_accounts(pool: &PgPool) {
    let mut connection = pool.acquire().await.unwrap();
    let account = |id, plan: &str| accounts::Row { id, plan: plan.to_owned() };
    let accounts = vec![account(ADA, "build"), account(BOB, "build"), account(EVE, "free")];
    accounts::upsert(&mut connection, Uuid::nil(), accounts).await.unwrap();
    let plans = [plan("free", 1, false), plan("build", 5, true)];
    plans::replace(&mut connection, Uuid::nil(), &plans).await.unwrap();
}

pub(crate) fn plan(name: &str, endpoints: i64, events: bool) -> Plan {
    Plan {
        name: name.to_owned(),
        title: name.to_owned(),
        endpoints: Some(endpoints),
        events,
        coming: false,
    }
}

/// Starts another replica on the same database.
pub(crate) async fn replica(pool: PgPool, clock: Clock, receivers: &[&Receiver]) -> Webhook {
    replica_with(pool, clock, receivers, Arc::new(NoNames)).await
}

/// Starts another replica with its own resolver.
pub(crate) async fn replica_with(
    pool: PgPool,
    clock: Clock,
    receivers: &[&Receiver],
    resolver: Arc<dyn Resolve>,
) -> Webhook {
    let (lifecycle, supervisor) = Lifecycle::new();
    let wakeup = Wakeup::start(pool.clone(), webhook::CHANNEL, &lifecycle);
    let origins = receivers.iter().map(|it| it.origin.clone());
    let named = receivers.iter().map(|it| it.origin.replace("127.0.0.1", HOST));
    let origins: Vec<String> = origins.chain(named).collect();
    let settings = http::Settings {
        allow: origins.join(",").parse().unwrap(),
        answer_timeout: testing::LONG,
        excerpt_timeout: testing::LONG,
        address_check_timeout: testing::LONG,
        ..http::Settings::default()
    };
    let sender = Sender::with_resolver(&settings, resolver).unwrap();
    let leader = Leader::start(&lifecycle, pool.clone(), webhook::SCHEMA, clock.clone());
    let producer = Producer::start(&leader, &lifecycle, Retention::default());
    let dependencies = deliver::DeliveryDependencies {
        pool: pool.clone(),
        producer,
        clock: clock.clone(),
        wakeup: wakeup.clone(),
        sender: sender.clone(),
        key_ring: key_ring("a"),
        schedule: Schedule::default(),
        disable_policy: DisablePolicy::default(),
        limits: Limits {
            in_flight: 256,
            per_endpoint: 16,
            endpoints: 64,
            lease: LEASE,
            statement_timeout: PATIENCE,
        },
    };
    let publisher =
        Publisher { clock: clock.clone(), schedule: Schedule::default(), wakeup: wakeup.clone() };
    let mut services = kit::rpc::server::services();
    let service = Service {
        pool: pool.clone(),
        clock: clock.clone(),
        wakeup,
        sender,
        key_ring: key_ring("a"),
        schedule: Schedule::default(),
        rotation: Duration::DAY,
        retention: RETENTION,
        public_url: SITE.to_owned(),
    };
    service.add_to(&mut services);
    let address = testing::serve(services, &lifecycle).await.unwrap();
    let fleet = testing::client(&address, &lifecycle).unwrap();
    let staff = testing::staff_client(&address, &lifecycle).unwrap();
    Webhook {
        pool,
        clock,
        endpoints: EndpointsServiceClient::new(fleet.clone()),
        deliveries: DeliveriesServiceClient::new(fleet.clone()),
        messages: MessagesServiceClient::new(fleet.clone()),
        receivers: ReceiversServiceClient::new(fleet),
        staff: StaffServiceClient::new(staff),
        publisher,
        dependencies,
        leader,
        lifecycle,
        _supervisor: supervisor,
    }
}

impl Drop for Webhook {
    /// Closes the connections to the database, which the test is about to drop.
    fn drop(&mut self) {
        self.stop();
    }
}

impl Webhook {
    /// Stops the replica as a signal does. Its delivery tasks finish the attempts in flight.
    pub(crate) fn stop(&self) {
        self.lifecycle.draining().cancel();
        self.lifecycle.stopping().cancel();
    }

    /// Also starts the delivery tasks.
    pub(crate) fn delivering(self) -> Self {
        let dependencies = &self.dependencies;
        deliver::spawn(dependencies.clone(), &self.lifecycle);
        self
    }

    /// Sets the statement timeout of the delivery tasks.
    pub(crate) fn with_statement_timeout(mut self, timeout: StdDuration) -> Self {
        self.dependencies.limits.statement_timeout = timeout;
        self
    }

    /// Also starts the daily sweep.
    pub(crate) fn sweeping(self) -> Self {
        let dependencies = &self.dependencies;
        spawn_sweep(&self.leader, &dependencies.pool, &dependencies.clock, &dependencies.wakeup, 4)
            .unwrap();
        self
    }

    pub(crate) async fn add(
        &self,
        account: Uuid,
        url: &str,
        events: &[&str],
    ) -> Result<proto::AddEndpointResponse, Fault> {
        let request = proto::AddEndpointRequest {
            account_id: account.to_string(),
            url: url.to_owned(),
            events: events.iter().map(ToString::to_string).collect(),
            ..proto::AddEndpointRequest::default()
        };
        let answer = self.endpoints.clone().add_endpoint(request).await;
        Ok(answer?.into_inner())
    }

    /// Adds an endpoint, and returns its id.
    pub(crate) async fn added(&self, account: Uuid, url: &str, events: &[&str]) -> Uuid {
        let added = self.add(account, url, events).await.unwrap();
        added.endpoint.unwrap().id.parse().unwrap()
    }

    /// Applies changes of the listings feed, as its follower does.
    pub(crate) async fn listings(&self, changes: &[Change], context: ProjectionContext) {
        let store = Listings { publisher: self.publisher.clone(), public_url: SITE.to_owned() };
        self.apply("listings", &store, changes, context).await;
    }

    /// Applies changes of the economy feed.
    pub(crate) async fn economy(&self, changes: &[Change]) {
        let store = Economy { publisher: self.publisher.clone(), public_url: SITE.to_owned() };
        self.apply("economy", &store, changes, TAKEN).await;
    }

    /// Applies changes of the catalogue feed.
    pub(crate) async fn catalogue(&self, changes: &[Change]) {
        let store = Catalogue(self.publisher.clone());
        self.apply("catalogue", &store, changes, TAKEN).await;
    }

    async fn apply(
        &self,
        producer: &'static str,
        projection: &impl Projection,
        changes: &[Change],
        context: ProjectionContext,
    ) {
        let mut transaction = self.pool.begin().await.unwrap();
        project_changes(&mut transaction, producer, projection, changes.to_vec(), context)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        projection.committed();
    }

    /// Sends a test event, and returns its delivery.
    pub(crate) async fn ping(&self, account: Uuid, endpoint: Uuid) -> proto::Delivery {
        let sent = self.test_event(account, endpoint).await;
        sent.delivery.unwrap()
    }

    pub(crate) async fn test_event(
        &self,
        account: Uuid,
        endpoint: Uuid,
    ) -> proto::SendTestEventResponse {
        let request = proto::SendTestEventRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            ..proto::SendTestEventRequest::default()
        };
        let sent = self.deliveries.clone().send_test_event(request).await;
        sent.unwrap().into_inner()
    }

    /// Requests *Send again*.
    pub(crate) async fn send_again(
        &self,
        account: Uuid,
        endpoint: Uuid,
        id: i64,
    ) -> Result<proto::SendAgainResponse, Fault> {
        let (mut deliveries, request) = self.send_again_request(account, endpoint, id);
        Ok(deliveries.send_again(request).await?.into_inner())
    }

    pub(crate) fn send_again_request(
        &self,
        account: Uuid,
        endpoint: Uuid,
        id: i64,
    ) -> (DeliveriesServiceClient<Client>, proto::SendAgainRequest) {
        let request = proto::SendAgainRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            id,
            read_tries: None,
        };
        (self.deliveries.clone(), request)
    }

    pub(crate) async fn set_paused(&self, account: Uuid, endpoint: Uuid, is_paused: bool) {
        let (account_id, id) = (account.to_string(), endpoint.to_string());
        let mut endpoints = self.endpoints.clone();
        if is_paused {
            let request = proto::PauseEndpointRequest { account_id, id };
            endpoints.pause_endpoint(request).await.unwrap();
        } else {
            let request = proto::ResumeEndpointRequest { account_id, id };
            endpoints.resume_endpoint(request).await.unwrap();
        }
    }

    pub(crate) async fn remove(&self, account: Uuid, endpoint: Uuid) {
        let request = proto::RemoveEndpointRequest {
            account_id: account.to_string(),
            id: endpoint.to_string(),
        };
        let removed = self.endpoints.clone().remove_endpoint(request).await;
        removed.unwrap();
    }

    pub(crate) async fn endpoint(&self, account: Uuid, id: Uuid) -> proto::Endpoint {
        let request =
            proto::GetEndpointRequest { account_id: account.to_string(), id: id.to_string() };
        let answer = self.endpoints.clone().get_endpoint(request).await;
        answer.unwrap().into_inner().endpoint.unwrap()
    }

    /// The deliveries to an endpoint, newest first.
    pub(crate) async fn list(&self, account: Uuid, endpoint: Uuid) -> Vec<proto::Delivery> {
        let request = proto::ListDeliveriesRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            limit: 100,
            ..proto::ListDeliveriesRequest::default()
        };
        let answer = self.deliveries.clone().list_deliveries(request).await;
        answer.unwrap().into_inner().deliveries
    }

    /// A delivery with its attempts.
    pub(crate) async fn delivery(
        &self,
        account: Uuid,
        endpoint: Uuid,
        id: i64,
    ) -> proto::GetDeliveryResponse {
        let request = proto::GetDeliveryRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            id,
        };
        let answer = self.deliveries.clone().get_delivery(request).await;
        answer.unwrap().into_inner()
    }

    /// Waits until a delivery has that many attempts.
    pub(crate) async fn attempted(
        &self,
        account: Uuid,
        endpoint: Uuid,
        id: i64,
        attempts: usize,
    ) -> proto::GetDeliveryResponse {
        eventually(&format!("{attempts} attempts are recorded"), async || {
            let found = self.delivery(account, endpoint, id).await;
            (found.attempts.len() >= attempts).then_some(found)
        })
        .await
    }

    /// Waits until that many deliveries to an endpoint have failed, and returns them.
    pub(crate) async fn failed(
        &self,
        account: Uuid,
        endpoint: Uuid,
        count: usize,
    ) -> Vec<proto::Delivery> {
        eventually(&format!("{count} deliveries have failed"), async || {
            let mut deliveries = self.list(account, endpoint).await;
            deliveries.retain(|it| it.state() == proto::DeliveryState::Failed);
            (deliveries.len() >= count).then_some(deliveries)
        })
        .await
    }

    /// Waits until the newest delivery to an endpoint has that many attempts.
    pub(crate) async fn newest_attempted(
        &self,
        account: Uuid,
        endpoint: Uuid,
        attempts: u32,
    ) -> proto::Delivery {
        eventually(&format!("the newest has {attempts} attempts"), async || {
            let delivery = self.list(account, endpoint).await.remove(0);
            (delivery.tries >= attempts).then_some(delivery)
        })
        .await
    }
}

/// Waits until a statement on this database waits for a lock.
pub(crate) async fn is_waiting_for_a_lock(pool: &PgPool) {
    wait_until("a statement waits for a lock", async || {
        let waiting = sqlx::query_scalar!(
            r#"select count(*) as "count!" from pg_stat_activity
               where datname = current_database() and wait_event_type = 'Lock'"#
        );
        waiting.fetch_one(pool).await.unwrap() > 0
    })
    .await;
}

/// The messages and attempts that were read. `pool` has one connection, whose reads are all counted.
pub(crate) async fn rows_read(pool: &PgPool) -> i64 {
    let flush = sqlx::raw_sql("select pg_stat_force_next_flush()");
    flush.execute(pool).await.unwrap();
    let read =
        "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_user_tables
         where schemaname = 'webhook' and relname in ('attempt_log', 'message', 'waiting')";
    sqlx::query_scalar(read).fetch_one(pool).await.unwrap()
}

/// A change, whose `seq` is also its revision.
pub(crate) fn change(seq: i64, entity: &str, id: Uuid, event: &str, state: Vec<u8>) -> Change {
    Change {
        seq,
        entity: entity.to_owned(),
        id: id.to_string(),
        revision: seq,
        event: event.to_owned(),
        announced: true,
        happening: false,
        at: Some(timestamp::encode(START)),
        state: state.into(),
    }
}

pub(crate) const PAGE: Uuid = Uuid::from_u128(0x10);
pub(crate) const GAME: Uuid = Uuid::from_u128(0x11);

/// A change of a studio's page, which `owner` owns.
pub(crate) fn page(seq: i64, event: &str, owner: Uuid) -> Change {
    let page = listings::Page {
        id: PAGE.to_string(),
        mode: Mode::Live.into(),
        state: listings::State::Published.into(),
        handle: "kora-studio".to_owned(),
        name: "Kora Studio".to_owned(),
        kind: "studio".to_owned(),
        owners: vec![owner.to_string()],
        visible: true,
        ..listings::Page::default()
    };
    change(seq, "page", PAGE, event, page.encode_to_vec())
}

/// A change of the studio's game.
pub(crate) fn game(seq: i64, event: &str, state: listings::State) -> Change {
    numbered_game(seq, event, state, GAME)
}

/// A change of a game with another id.
pub(crate) fn numbered_game(seq: i64, event: &str, state: listings::State, id: Uuid) -> Change {
    let game = listings::Game {
        id: id.to_string(),
        mode: Mode::Live.into(),
        state: state.into(),
        slug: "kora".to_owned(),
        title: "Kora".to_owned(),
        page_id: PAGE.to_string(),
        visible: state == listings::State::Published,
        ..listings::Game::default()
    };
    change(seq, "game", id, event, game.encode_to_vec())
}

/// A tip to the studio's game, while `owner` owns its page.
pub(crate) fn tip(seq: i64, owner: Uuid) -> Change {
    let tip = Tip {
        game_id: GAME.to_string(),
        slug: "kora".to_owned(),
        title: "Kora".to_owned(),
        account_ids: vec![owner.to_string()],
    };
    Change {
        happening: true,
        ..change(
            seq,
            "tip",
            Uuid::from_u128(seq.unsigned_abs().into()),
            "paid",
            tip.encode_to_vec(),
        )
    }
}
