//! Lists the audit of staff (`listings/v1/staff_audit.proto`).

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::listings::v1::staff_audit_service_server::StaffAuditService;
use tonic::{Request, Response, Status};

use super::Service;
use crate::domain::audit_action::AuditAction;

#[tonic::async_trait]
impl StaffAuditService for Service {
    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        self.audit.list::<AuditAction>(request).await
    }
}
