//! How rates and figures are computed (`economy/v1/methodology.proto`).

use contracts::economy::v1 as proto;
use contracts::economy::v1::methodology_service_server::MethodologyService;
use kit::Fault;
use tonic::{Request, Response, Status};

use super::Service;
use crate::domain::methodology::methodology;

#[tonic::async_trait]
impl MethodologyService for Service {
    async fn get_methodology(
        &self,
        _: Request<proto::GetMethodologyRequest>,
    ) -> Result<Response<proto::GetMethodologyResponse>, Status> {
        let methodology = methodology(self.policy.most_jump_percent, self.late_after.whole_days());
        let json = serde_json::to_vec(&methodology).map_err(|error| Fault::internal(&error))?;
        let json = json.into();
        Ok(Response::new(proto::GetMethodologyResponse { json }))
    }
}
