//! Finds staff members by token, for the other services (`listings/v1/member.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::member_service_server::MemberService;
use kit::rpc::staff::Role;
use kit::{Fault, pg};
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use crate::store::members;

#[derive(Debug)]
pub struct Service {
    pool: PgPool,
}

impl Service {
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }
}

#[tonic::async_trait]
impl MemberService for Service {
    async fn find_member(
        &self,
        request: Request<proto::FindMemberRequest>,
    ) -> Result<Response<proto::FindMemberResponse>, Status> {
        let found = members::find(&self.pool, &request.get_ref().token_sha256).await;
        let found = found.map_err(|error| Fault::into(pg::fault(&error)));
        let found: Result<_, Status> = found;
        let member = found?.map(|member| proto::Member {
            name: member.name,
            role: match member.role {
                Role::Reviewer => proto::Role::Reviewer.into(),
                Role::Admin => proto::Role::Admin.into(),
            },
            ..proto::Member::default()
        });
        Ok(Response::new(proto::FindMemberResponse { member }))
    }
}
