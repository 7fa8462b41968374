//! Accounts, plans, keys and switches, by staff: gateway.v1.StaffService. A file a subject.

mod accounts;
mod key_requests;
mod keys;
mod page;
mod switches;

use std::sync::Arc;

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::staff_service_server::StaffService;
use kit::feed::Writer;
use kit::{Clock, Fault};
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::domain::account::Problems;
use crate::domain::plan::Plans;
use crate::domain::secret::Format;
use crate::quota::Quota;
use crate::store::write::{Done, Item, Writes};

/// What staff calls work on.
pub struct Staff {
    /// Reads.
    pub pool: PgPool,
    /// Changes.
    pub writer: Writer<Writes>,
    /// The plans.
    pub plans: Arc<Plans>,
    /// How keys are written.
    pub format: Format,
    /// For tombstones.
    pub quota: Arc<Quota>,
    /// The time.
    pub clock: Clock,
}

#[tonic::async_trait]
impl StaffService for Staff {
    async fn create_account(
        &self,
        request: Request<proto::CreateAccountRequest>,
    ) -> Result<Response<proto::CreateAccountResponse>, Status> {
        let answer = accounts::create(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_accounts(
        &self,
        request: Request<proto::ListAccountsRequest>,
    ) -> Result<Response<proto::ListAccountsResponse>, Status> {
        let answer = accounts::list(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn get_account(
        &self,
        request: Request<proto::GetAccountRequest>,
    ) -> Result<Response<proto::GetAccountResponse>, Status> {
        let answer = accounts::get(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn set_account_plan(
        &self,
        request: Request<proto::SetAccountPlanRequest>,
    ) -> Result<Response<proto::SetAccountPlanResponse>, Status> {
        let answer = accounts::set_plan(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_plans(
        &self,
        _: Request<proto::ListPlansRequest>,
    ) -> Result<Response<proto::ListPlansResponse>, Status> {
        let plans = self.plans.iter().map(Into::into).collect();
        Ok(Response::new(proto::ListPlansResponse { plans }))
    }

    async fn create_key(
        &self,
        request: Request<proto::CreateKeyRequest>,
    ) -> Result<Response<proto::CreateKeyResponse>, Status> {
        let answer = keys::create(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_keys(
        &self,
        request: Request<proto::ListKeysRequest>,
    ) -> Result<Response<proto::ListKeysResponse>, Status> {
        let answer = keys::list(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn rotate_key(
        &self,
        request: Request<proto::RotateKeyRequest>,
    ) -> Result<Response<proto::RotateKeyResponse>, Status> {
        let answer = keys::rotate(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn revoke_key(
        &self,
        request: Request<proto::RevokeKeyRequest>,
    ) -> Result<Response<proto::RevokeKeyResponse>, Status> {
        let answer = keys::revoke(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn request_key(
        &self,
        request: Request<proto::RequestKeyRequest>,
    ) -> Result<Response<proto::RequestKeyResponse>, Status> {
        let answer = key_requests::ask(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_key_requests(
        &self,
        request: Request<proto::ListKeyRequestsRequest>,
    ) -> Result<Response<proto::ListKeyRequestsResponse>, Status> {
        let answer = key_requests::list(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn approve_key(
        &self,
        request: Request<proto::ApproveKeyRequest>,
    ) -> Result<Response<proto::ApproveKeyResponse>, Status> {
        let answer = key_requests::approve(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn reject_key(
        &self,
        request: Request<proto::RejectKeyRequest>,
    ) -> Result<Response<proto::RejectKeyResponse>, Status> {
        let answer = key_requests::reject(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn reveal_key(
        &self,
        request: Request<proto::RevealKeyRequest>,
    ) -> Result<Response<proto::RevealKeyResponse>, Status> {
        let answer = key_requests::reveal(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn list_switches(
        &self,
        request: Request<proto::ListSwitchesRequest>,
    ) -> Result<Response<proto::ListSwitchesResponse>, Status> {
        let answer = switches::list(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }

    async fn set_switch(
        &self,
        request: Request<proto::SetSwitchRequest>,
    ) -> Result<Response<proto::SetSwitchResponse>, Status> {
        let answer = switches::set(self, request.into_inner()).await?;
        Ok(Response::new(answer))
    }
}

impl Staff {
    async fn write(&self, item: Item) -> Result<Done, Fault> {
        let (done, _) = self.writer.write(item).await?;
        Ok(done)
    }
}

fn id(text: &str) -> Result<Uuid, Fault> {
    let mut problems = Problems::default();
    let id = problems.id("id", text);
    problems.finish()?;
    Ok(id)
}

/// The writer answers each kind of item in one way.
fn unexpected(done: &Done) -> Fault {
    tracing::error!(?done, "the writer has answered something else");
    crate::envelope::internal()
}
