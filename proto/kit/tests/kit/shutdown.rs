//! Shutdown of a process.

use std::time::Duration;

use contracts::common::v1 as proto;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::feed_service_server::{FeedService, FeedServiceServer};
use futures::stream;
use kit::Lifecycle;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::sync::oneshot;
use tonic::{Request, Response, Status};

/// A service that queries PostgreSQL in its call.
struct Querying(PgPool);

#[tonic::async_trait]
impl FeedService for Querying {
    type FollowStream = stream::Empty<Result<proto::FollowResponse, Status>>;

    async fn follow(
        &self,
        _: Request<proto::FollowRequest>,
    ) -> Result<Response<Self::FollowStream>, Status> {
        unreachable!()
    }

    async fn acknowledge(
        &self,
        _: Request<proto::AcknowledgeRequest>,
    ) -> Result<Response<proto::AcknowledgeResponse>, Status> {
        unreachable!()
    }

    async fn get_position(
        &self,
        _: Request<proto::GetPositionRequest>,
    ) -> Result<Response<proto::GetPositionResponse>, Status> {
        sqlx::query("select 1").execute(&self.0).await.unwrap();
        Ok(Response::new(proto::GetPositionResponse { position: None }))
    }

    async fn get_newest_change(
        &self,
        _: Request<proto::GetNewestChangeRequest>,
    ) -> Result<Response<proto::GetNewestChangeResponse>, Status> {
        unreachable!()
    }
}

/// A pooled connection belongs to the runtime of the thread that opened it. Background tasks still use connections that worker threads have
/// opened.
#[sqlx::test]
async fn a_connection_that_a_worker_opened_outlives_the_servers(
    pool: PgPoolOptions,
    options: PgConnectOptions,
) {
    let pool = pool.max_connections(1).connect_lazy_with(options);
    let (lifecycle, supervisor) = Lifecycle::new();
    let mut services = kit::rpc::server::services();
    services.add_service(FeedServiceServer::new(Querying(pool.clone())));
    let address = testing::serve(services, &lifecycle).await.unwrap();
    let client = testing::client(&address, &lifecycle).unwrap();
    let mut client = FeedServiceClient::new(client);
    let asked = client.get_position(proto::GetPositionRequest {}).await;
    asked.unwrap();

    let mut connection = pool.acquire().await.unwrap();
    let (tell, outcome) = oneshot::channel();
    let stopping = lifecycle.stopping();
    lifecycle.spawn_graceful("last words", async move {
        stopping.cancelled().await;
        let mut failed = None;
        for _ in 0..100 {
            if let Err(error) = sqlx::query("select 1").execute(&mut *connection).await {
                failed = Some(error);
            }
        }
        drop(tell.send(failed));
        Ok(())
    });
    lifecycle.spawn_background("trigger", async { anyhow::bail!("time to go") });
    drop(lifecycle);
    supervisor.run(Duration::from_secs(30)).await.unwrap_err();
    assert!(outcome.await.unwrap().is_none());
}
