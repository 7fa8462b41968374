//! The endpoints and deliveries of all accounts, for staff (`webhook/v1/staff.proto`).

use std::sync::Arc;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::staff_service_server::StaffService;
use kit::audit::Audit;
use tonic::{Request, Response, Status};

use super::Dependencies;
use super::scope::Scope;
use crate::domain::staff_action::Action;

#[derive(Debug)]
pub(super) struct Service {
    pub(super) operations: Arc<Dependencies>,
    pub(super) audit: Audit,
}

#[tonic::async_trait]
impl StaffService for Service {
    async fn add_endpoint(
        &self,
        request: Request<proto::AddEndpointRequest>,
    ) -> Result<Response<proto::AddEndpointResponse>, Status> {
        let on = ("account", request.get_ref().account_id.as_str());
        let by = self.audit.admit(&request, Action::AddEndpoint, on).await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let answer = self.operations.add(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn change_endpoint(
        &self,
        request: Request<proto::ChangeEndpointRequest>,
    ) -> Result<Response<proto::ChangeEndpointResponse>, Status> {
        let on = ("endpoint", request.get_ref().id.as_str());
        let by = self
            .audit
            .admit(&request, Action::ChangeEndpoint, on)
            .await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let endpoint = Some(self.operations.change(&scope, request).await?);
        Ok(Response::new(proto::ChangeEndpointResponse { endpoint }))
    }

    async fn pause_endpoint(
        &self,
        request: Request<proto::PauseEndpointRequest>,
    ) -> Result<Response<proto::PauseEndpointResponse>, Status> {
        let on = ("endpoint", request.get_ref().id.as_str());
        let by = self
            .audit
            .admit(&request, Action::PauseEndpoint, on)
            .await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let endpoint = Some(self.operations.pause(&scope, &request.id).await?);
        Ok(Response::new(proto::PauseEndpointResponse { endpoint }))
    }

    async fn resume_endpoint(
        &self,
        request: Request<proto::ResumeEndpointRequest>,
    ) -> Result<Response<proto::ResumeEndpointResponse>, Status> {
        let on = ("endpoint", request.get_ref().id.as_str());
        let by = self
            .audit
            .admit(&request, Action::ResumeEndpoint, on)
            .await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let endpoint = Some(self.operations.resume(&scope, &request.id).await?);
        Ok(Response::new(proto::ResumeEndpointResponse { endpoint }))
    }

    async fn rotate_secret(
        &self,
        request: Request<proto::RotateSecretRequest>,
    ) -> Result<Response<proto::RotateSecretResponse>, Status> {
        let on = ("endpoint", request.get_ref().id.as_str());
        let by = self.audit.admit(&request, Action::RotateSecret, on).await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let answer = self.operations.rotate(&scope, &request.id).await?;
        Ok(Response::new(answer))
    }

    async fn switch_secret(
        &self,
        request: Request<proto::SwitchSecretRequest>,
    ) -> Result<Response<proto::SwitchSecretResponse>, Status> {
        let on = ("endpoint", request.get_ref().id.as_str());
        let by = self.audit.admit(&request, Action::SwitchSecret, on).await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let endpoint = Some(self.operations.switch(&scope, &request.id).await?);
        Ok(Response::new(proto::SwitchSecretResponse { endpoint }))
    }

    async fn remove_endpoint(
        &self,
        request: Request<proto::RemoveEndpointRequest>,
    ) -> Result<Response<proto::RemoveEndpointResponse>, Status> {
        let on = ("endpoint", request.get_ref().id.as_str());
        let by = self
            .audit
            .admit(&request, Action::RemoveEndpoint, on)
            .await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        self.operations.remove(&scope, &request.id).await?;
        Ok(Response::new(proto::RemoveEndpointResponse {}))
    }

    async fn list_endpoints(
        &self,
        request: Request<proto::ListEndpointsRequest>,
    ) -> Result<Response<proto::ListEndpointsResponse>, Status> {
        let on = ("account", request.get_ref().account_id.as_str());
        let by = self.audit.admit(&request, Action::Look, on).await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let answer = self.operations.list_endpoints(&scope).await?;
        Ok(Response::new(answer))
    }

    async fn get_endpoint(
        &self,
        request: Request<proto::GetEndpointRequest>,
    ) -> Result<Response<proto::GetEndpointResponse>, Status> {
        let on = ("endpoint", request.get_ref().id.as_str());
        let by = self.audit.admit(&request, Action::Look, on).await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let endpoint = Some(self.operations.get_endpoint(&scope, &request.id).await?);
        Ok(Response::new(proto::GetEndpointResponse { endpoint }))
    }

    async fn list_deliveries(
        &self,
        request: Request<proto::ListDeliveriesRequest>,
    ) -> Result<Response<proto::ListDeliveriesResponse>, Status> {
        let on = ("endpoint", request.get_ref().endpoint_id.as_str());
        let by = self.audit.admit(&request, Action::Look, on).await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let answer = self.operations.list_deliveries(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn get_delivery(
        &self,
        request: Request<proto::GetDeliveryRequest>,
    ) -> Result<Response<proto::GetDeliveryResponse>, Status> {
        let on = ("endpoint", request.get_ref().endpoint_id.as_str());
        let by = self.audit.admit(&request, Action::Look, on).await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let answer = self.operations.get_delivery(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn send_again(
        &self,
        request: Request<proto::SendAgainRequest>,
    ) -> Result<Response<proto::SendAgainResponse>, Status> {
        let on = ("endpoint", request.get_ref().endpoint_id.as_str());
        let by = self.audit.admit(&request, Action::SendAgain, on).await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let delivery = Some(self.operations.send_again(&scope, request).await?);
        Ok(Response::new(proto::SendAgainResponse { delivery }))
    }

    async fn recover(
        &self,
        request: Request<proto::RecoverRequest>,
    ) -> Result<Response<proto::RecoverResponse>, Status> {
        let on = ("endpoint", request.get_ref().endpoint_id.as_str());
        let by = self.audit.admit(&request, Action::Recover, on).await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let answer = self.operations.recover(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn send_test_event(
        &self,
        request: Request<proto::SendTestEventRequest>,
    ) -> Result<Response<proto::SendTestEventResponse>, Status> {
        let on = ("endpoint", request.get_ref().endpoint_id.as_str());
        let by = self
            .audit
            .admit(&request, Action::SendTestEvent, on)
            .await?;
        let request = request.into_inner();
        let scope = Scope::staff(&request.account_id, by)?;
        let delivery = Some(self.operations.send_test_event(&scope, request).await?);
        Ok(Response::new(proto::SendTestEventResponse { delivery }))
    }

    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        let answer = self.audit.list::<Action>(request).await?;
        Ok(Response::new(answer))
    }
}
