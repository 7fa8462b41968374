//! Fills the queues of paused endpoints, and measures how fast they drain after they are resumed.

use std::time::Duration;

use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use contracts::webhook::v1::{AddEndpointRequest, PauseEndpointRequest, ResumeEndpointRequest};
use e2e::{Fleet, NewAccount, Process, Staff, eventually};
use futures::future::join_all;
use kit::rpc::client::Client as Channel;
use sqlx::PgPool;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::bare::BODY;
use super::receiver::Receiver;

/// Endpoints of a new account, all at one receiver, and their queues.
pub(super) struct Backlog<'a> {
    pub(super) receiver: &'a Receiver,
    account: NewAccount,
    endpoints: EndpointsServiceClient<Channel>,
    database: PgPool,
    service: Process,
    postgres: Process,
}

pub(super) struct Drained {
    /// Deliveries per second, until the last has arrived.
    pub(super) rate: f64,
    /// CPU time per delivery in microseconds, until all are recorded.
    pub(super) service_cpu: f64,
    pub(super) postgres_cpu: f64,
}

impl<'a> Backlog<'a> {
    pub(super) async fn new(fleet: &Fleet, receiver: &'a Receiver) -> Self {
        let pids = fleet.pids();
        let webhooks = fleet.rpc_client("webhook-svc").await;
        Self {
            receiver,
            account: Staff::of(fleet).await.account("unlimited").await,
            endpoints: EndpointsServiceClient::new(webhooks),
            database: PgPool::connect(&fleet.database_url).await.unwrap(),
            service: Process::new("webhook-svc", pids["webhook-svc"]),
            postgres: Process::new("postgres", pids["postgres"]),
        }
    }

    /// Adds paused endpoints below a path of the receiver.
    pub(super) async fn add_endpoints(&self, path: &str, count: usize) -> Vec<Uuid> {
        let mut ids = Vec::new();
        for number in 0..count {
            let added = eventually("webhook-svc knows the account", async || {
                let request = AddEndpointRequest {
                    account_id: self.account.account.id.clone(),
                    url: format!("http://{}/{path}", self.receiver.host(number)),
                    events: vec!["listing.updated".to_owned()],
                    ..AddEndpointRequest::default()
                };
                self.endpoints.clone().add_endpoint(request).await.ok()
            });
            let added = added.await.into_inner().endpoint.unwrap();
            ids.push(added.id.parse().unwrap());
        }
        self.pause(&ids).await;
        ids
    }

    /// Inserts messages to every endpoint, so that `deliveries` are due.
    #[expect(
        clippy::disallowed_methods,
        reason = "the benchmarks have no schema of their own"
    )]
    pub(super) async fn fill(&self, endpoints: &[Uuid], deliveries: usize) {
        let messages = i64::try_from(deliveries / endpoints.len()).unwrap();
        let filling = sqlx::query(
            "with message as (
                 insert into webhook.message (id, event, listing_kind, listing_id, body, created_at)
                 select gen_random_uuid(), 'listing.updated', 'game', listing.id, $2, now()
                 from generate_series(1, $1), (select id from webhook.listing where kind = 'game' and published limit 1) listing
                 returning id
             )
             insert into webhook.waiting (endpoint_id, message_id, created_at, due_at)
             select endpoint, message.id, now(), now() from message, unnest($3::uuid[]) endpoint",
        );
        let filling = filling.bind(messages).bind(BODY.as_bytes()).bind(endpoints);
        filling.execute(&self.database).await.unwrap();
        for table in ["webhook.message", "webhook.waiting"] {
            let analyze = sqlx::AssertSqlSafe(format!("vacuum analyze {table}"));
            sqlx::raw_sql(analyze)
                .execute(&self.database)
                .await
                .unwrap();
        }
    }

    pub(super) async fn pause(&self, endpoints: &[Uuid]) {
        join_all(endpoints.iter().map(async |id| {
            let request = PauseEndpointRequest {
                account_id: self.account.account.id.clone(),
                id: id.to_string(),
            };
            let mut client = self.endpoints.clone();
            client.pause_endpoint(request).await.unwrap();
        }))
        .await;
    }

    pub(super) async fn resume(&self, endpoints: &[Uuid]) {
        join_all(endpoints.iter().map(async |id| {
            let request = ResumeEndpointRequest {
                account_id: self.account.account.id.clone(),
                id: id.to_string(),
            };
            let mut client = self.endpoints.clone();
            client.resume_endpoint(request).await.unwrap();
        }))
        .await;
    }

    /// Fills the queues of these endpoints and resumes the endpoints; waits until all deliveries have arrived and are recorded.
    pub(super) async fn drain(&self, endpoints: &[Uuid], deliveries: usize) -> Drained {
        self.fill(endpoints, deliveries).await;
        let wanted = self.receiver.count().await + u64::try_from(deliveries).unwrap();
        let (begun, before) = (Instant::now(), self.cpu());
        self.resume(endpoints).await;
        while self.receiver.count().await < wanted {
            sleep(Duration::from_millis(5)).await;
        }
        let time = begun.elapsed().as_secs_f64();
        while self.is_waiting(endpoints).await {
            sleep(Duration::from_millis(5)).await;
        }
        let after = self.cpu();
        self.pause(endpoints).await;
        let deliveries: f64 = u32::try_from(deliveries).unwrap().into();
        Drained {
            rate: deliveries / time,
            service_cpu: (after.0 - before.0) / deliveries,
            postgres_cpu: (after.1 - before.1) / deliveries,
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the benchmarks have no schema of their own"
    )]
    async fn is_waiting(&self, endpoints: &[Uuid]) -> bool {
        let waiting = "select exists (select from webhook.waiting where endpoint_id = any($1))";
        let waiting = sqlx::query_scalar(waiting).bind(endpoints);
        waiting.fetch_one(&self.database).await.unwrap()
    }

    /// CPU time so far of webhook-svc and of PostgreSQL.
    fn cpu(&self) -> (f64, f64) {
        (self.service.cpu(), self.postgres.cpu_with_children())
    }
}
