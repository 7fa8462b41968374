//! Lists the audit of staff (`listings/v1/staff_audit.proto`).

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::listings::v1::staff_audit_service_server::StaffAuditService;
use kit::Fault;
use kit::rpc::staff::OPERATOR;
use tonic::{Request, Response, Status};

use super::Service;
use crate::domain::audit_action::AuditAction;
use crate::store::members;

impl Service {
    /// Refuses a name that no member ever had. Names are never reused, and stay after a token is revoked.
    async fn check_member(&self, name: &str) -> Result<(), Fault> {
        if name.is_empty() || name == OPERATOR {
            return Ok(());
        }
        let members = members::list(&self.pool).await?;
        if members.iter().any(|member| member.name == name) {
            return Ok(());
        }
        let reason = "No member of the staff has this name: `staff member list` gives the names.";
        Err(Fault::invalid_field("member", reason))
    }
}

#[tonic::async_trait]
impl StaffAuditService for Service {
    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        let member = request.get_ref().member.clone();
        let answer = self.audit.list::<AuditAction>(request).await?;
        // An entry proves that the member exists.
        if answer.get_ref().entries.is_empty() {
            self.check_member(&member).await?;
        }
        Ok(answer)
    }
}
