//! The member of staff who calls (`listings/v1/staff_member.proto`), and the audit (`listings/v1/staff_audit.proto`).

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_audit_service_server::StaffAuditService;
use contracts::listings::v1::staff_member_service_server::StaffMemberService;
use kit::rpc::members_file::day;
use kit::rpc::staff::Member;
use tonic::{Request, Response, Status};

use crate::domain::audit_action::AuditAction;
use crate::service::Service;

#[tonic::async_trait]
impl StaffMemberService for Service {
    async fn who_am_i(
        &self,
        request: Request<proto::WhoAmIRequest>,
    ) -> Result<Response<proto::WhoAmIResponse>, Status> {
        let member = Member::of(&request)?;
        Ok(Response::new(proto::WhoAmIResponse {
            role: member.role.as_str().to_owned(),
            last_day: member.last_day.map(day).unwrap_or_default(),
            name: member.name,
        }))
    }
}

#[tonic::async_trait]
impl StaffAuditService for Service {
    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        self.audit.list::<AuditAction>(request).await
    }
}
