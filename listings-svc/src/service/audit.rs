//! What the staff did (`listings/v1/staff_audit.proto`).

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::listings::v1::staff_audit_service_server::StaffAuditService;
use kit::audit::Audit;
use tonic::{Request, Response, Status};

use crate::domain::deed::Deed;

/// The service.
#[derive(Debug)]
pub struct Service {
    audit: Audit,
}

impl Service {
    /// The service that lists `audit`.
    pub fn new(audit: Audit) -> Self {
        Self { audit }
    }
}

#[tonic::async_trait]
impl StaffAuditService for Service {
    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        let answer = self.audit.list::<Deed>(request).await?;
        Ok(Response::new(answer))
    }
}
