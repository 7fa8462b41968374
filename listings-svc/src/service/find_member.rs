//! Finds staff members by token, for the other services (`listings/v1/member.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::member_service_server::MemberService;
use kit::rpc::staff::Role;
use tonic::{Request, Response, Status};

use super::Service;
use crate::members;

#[tonic::async_trait]
impl MemberService for Service {
    async fn find_member(
        &self,
        request: Request<proto::FindMemberRequest>,
    ) -> Result<Response<proto::FindMemberResponse>, Status> {
        let hash = &request.get_ref().token_sha256;
        let found = members::member(&self.pool, hash, self.clock.now()).await?;
        let member = found.map(|member| proto::Member {
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
