//! Fills the queue of a paused endpoint, and measures how fast it drains after the endpoint is resumed.

use std::time::Duration;

use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use contracts::webhook::v1::{AddEndpointRequest, PauseEndpointRequest, ResumeEndpointRequest};
use e2e::{Fleet, Process, Staff, eventually};
use kit::rpc::client::Client as Channel;
use sqlx::PgPool;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::bare::BODY;
use super::receiver::Receiver;

/// An endpoint of a new account, and its queue.
pub(super) struct Backlog<'a> {
    receiver: &'a Receiver,
    account_id: String,
    id: Uuid,
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
    /// Adds an endpoint, which is paused.
    pub(super) async fn new(fleet: &Fleet, receiver: &'a Receiver) -> Self {
        let pids = fleet.pids();
        let account_id = Staff::new(fleet).await.account("unlimited").await.account.id;
        let endpoints = EndpointsServiceClient::new(fleet.rpc_client("webhook-svc").await);
        let added = eventually("webhook-svc knows the account", async || {
            let request = AddEndpointRequest {
                account_id: account_id.clone(),
                url: format!("http://{}/in", receiver.host),
                events: vec!["listing.updated".to_owned()],
                ..AddEndpointRequest::default()
            };
            endpoints.clone().add_endpoint(request).await.ok()
        });
        let endpoint = added.await.into_inner().endpoint.unwrap();
        let backlog = Self {
            receiver,
            account_id,
            id: endpoint.id.parse().unwrap(),
            endpoints,
            database: PgPool::connect(&fleet.database_url).await.unwrap(),
            service: Process::new("webhook-svc", pids["webhook-svc"]),
            postgres: Process::new("postgres", pids["postgres"]),
        };
        backlog.pause().await;
        backlog
    }

    /// Inserts messages to the endpoint, which are due.
    #[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
    async fn fill(&self, deliveries: u32) {
        let filling = sqlx::query(
            "with message as (
                 insert into webhook.message (id, event, listing_kind, listing_id, body, created_at)
                 select gen_random_uuid(), 'listing.updated', 'game', listing.id, $2, now()
                 from generate_series(1, $1), (select id from webhook.listing where kind = 'game' and published limit 1) listing
                 returning id
             )
             insert into webhook.waiting (endpoint_id, message_id, created_at, due_at)
             select $3, message.id, now(), now() from message",
        ).bind(i64::from(deliveries)).bind(BODY.as_bytes()).bind(self.id);
        filling.execute(&self.database).await.unwrap();
        for table in ["webhook.message", "webhook.waiting"] {
            let analyze = sqlx::AssertSqlSafe(format!("vacuum analyze {table}"));
            sqlx::raw_sql(analyze).execute(&self.database).await.unwrap();
        }
    }

    async fn pause(&self) {
        let request =
            PauseEndpointRequest { account_id: self.account_id.clone(), id: self.id.to_string() };
        let mut endpoints = self.endpoints.clone();
        endpoints.pause_endpoint(request).await.unwrap();
    }

    async fn resume(&self) {
        let request =
            ResumeEndpointRequest { account_id: self.account_id.clone(), id: self.id.to_string() };
        let mut endpoints = self.endpoints.clone();
        endpoints.resume_endpoint(request).await.unwrap();
    }

    /// Fills the queue and resumes the endpoint; waits until all deliveries have arrived and are recorded.
    pub(super) async fn drain(&self, deliveries: u32) -> Drained {
        self.fill(deliveries).await;
        let wanted = self.receiver.count().await + u64::from(deliveries);
        let (begun, before) = (Instant::now(), self.cpu());
        self.resume().await;
        while self.receiver.count().await < wanted {
            sleep(Duration::from_millis(5)).await;
        }
        let time = begun.elapsed().as_secs_f64();
        while self.is_waiting().await {
            sleep(Duration::from_millis(5)).await;
        }
        let after = self.cpu();
        self.pause().await;
        let deliveries = f64::from(deliveries);
        Drained {
            rate: deliveries / time,
            service_cpu: (after.0 - before.0) / deliveries,
            postgres_cpu: (after.1 - before.1) / deliveries,
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
    async fn is_waiting(&self) -> bool {
        let waiting = "select exists (select from webhook.waiting where endpoint_id = $1)";
        let waiting = sqlx::query_scalar(waiting).bind(self.id);
        waiting.fetch_one(&self.database).await.unwrap()
    }

    /// CPU time so far of webhook-svc and of PostgreSQL.
    fn cpu(&self) -> (f64, f64) {
        (self.service.cpu(), self.postgres.cpu_with_children())
    }
}
