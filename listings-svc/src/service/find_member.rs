//! Finds staff members by token, for the other services (`listings/v1/member.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::member_service_server::MemberService;
use tonic::{Request, Response, Status};

use super::Service;
use super::member::role_message;
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
            role: role_message(member.role).into(),
            ..proto::Member::default()
        });
        Ok(Response::new(proto::FindMemberResponse { member }))
    }
}
