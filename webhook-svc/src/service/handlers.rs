//! The calls. A service of the fleet calls for the account that it names, which it has authenticated.

use std::sync::Arc;

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_server::DeliveriesService;
use contracts::webhook::v1::endpoints_service_server::EndpointsService;
use contracts::webhook::v1::messages_service_server::MessagesService;
use contracts::webhook::v1::receivers_service_server::ReceiversService;
use contracts::webhook::v1::staff_service_server::StaffService;
use kit::Fault;
use kit::rpc::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Dependencies, parse_id};
use crate::store::endpoints;

#[derive(Debug, Clone)]
pub(super) struct Service(pub(super) Arc<Dependencies>);

/// The account that a request names.
fn account(id: &str) -> Result<Uuid, Fault> {
    parse_id("account_id", id)
}

#[tonic::async_trait]
impl EndpointsService for Service {
    async fn add_endpoint(
        &self,
        request: Request<proto::AddEndpointRequest>,
    ) -> Result<Response<proto::AddEndpointResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        respond(self.0.add(account, request).await)
    }

    async fn change_endpoint(
        &self,
        request: Request<proto::ChangeEndpointRequest>,
    ) -> Result<Response<proto::ChangeEndpointResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        let endpoint = Some(self.0.change(account, request).await?);
        Ok(Response::new(proto::ChangeEndpointResponse { endpoint }))
    }

    async fn pause_endpoint(
        &self,
        request: Request<proto::PauseEndpointRequest>,
    ) -> Result<Response<proto::PauseEndpointResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        let endpoint = Some(self.0.pause(account, &request.id).await?);
        Ok(Response::new(proto::PauseEndpointResponse { endpoint }))
    }

    async fn resume_endpoint(
        &self,
        request: Request<proto::ResumeEndpointRequest>,
    ) -> Result<Response<proto::ResumeEndpointResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        let endpoint = Some(self.0.resume(account, &request.id).await?);
        Ok(Response::new(proto::ResumeEndpointResponse { endpoint }))
    }

    async fn rotate_secret(
        &self,
        request: Request<proto::RotateSecretRequest>,
    ) -> Result<Response<proto::RotateSecretResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        respond(self.0.rotate(account, request).await)
    }

    async fn switch_secret(
        &self,
        request: Request<proto::SwitchSecretRequest>,
    ) -> Result<Response<proto::SwitchSecretResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        let endpoint = Some(self.0.switch(account, &request.id).await?);
        Ok(Response::new(proto::SwitchSecretResponse { endpoint }))
    }

    async fn remove_endpoint(
        &self,
        request: Request<proto::RemoveEndpointRequest>,
    ) -> Result<Response<proto::RemoveEndpointResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        let url = self.0.remove(account, &request.id).await?;
        Ok(Response::new(proto::RemoveEndpointResponse { url }))
    }

    async fn list_endpoints(
        &self,
        request: Request<proto::ListEndpointsRequest>,
    ) -> Result<Response<proto::ListEndpointsResponse>, Status> {
        let account = account(&request.get_ref().account_id)?;
        respond(self.0.list_endpoints(account).await)
    }

    async fn get_endpoint(
        &self,
        request: Request<proto::GetEndpointRequest>,
    ) -> Result<Response<proto::GetEndpointResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        let endpoint = Some(self.0.get_endpoint(account, &request.id).await?);
        Ok(Response::new(proto::GetEndpointResponse { endpoint }))
    }
}

#[tonic::async_trait]
impl DeliveriesService for Service {
    async fn list_deliveries(
        &self,
        request: Request<proto::ListDeliveriesRequest>,
    ) -> Result<Response<proto::ListDeliveriesResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        respond(self.0.list_deliveries(account, request).await)
    }

    async fn get_delivery(
        &self,
        request: Request<proto::GetDeliveryRequest>,
    ) -> Result<Response<proto::GetDeliveryResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        respond(self.0.get_delivery(account, request).await)
    }

    async fn send_again(
        &self,
        request: Request<proto::SendAgainRequest>,
    ) -> Result<Response<proto::SendAgainResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        respond(self.0.send_again(account, request).await)
    }

    async fn recover(
        &self,
        request: Request<proto::RecoverRequest>,
    ) -> Result<Response<proto::RecoverResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        respond(self.0.recover(account, request).await)
    }

    async fn send_test_event(
        &self,
        request: Request<proto::SendTestEventRequest>,
    ) -> Result<Response<proto::SendTestEventResponse>, Status> {
        let request = request.into_inner();
        let account = account(&request.account_id)?;
        respond(self.0.send_test_event(account, request).await)
    }
}

#[tonic::async_trait]
impl MessagesService for Service {
    async fn list_messages(
        &self,
        request: Request<proto::ListMessagesRequest>,
    ) -> Result<Response<proto::ListMessagesResponse>, Status> {
        respond(self.0.list_messages(request.into_inner()).await)
    }
}

#[tonic::async_trait]
impl ReceiversService for Service {
    async fn list_event_types(
        &self,
        _: Request<proto::ListEventTypesRequest>,
    ) -> Result<Response<proto::ListEventTypesResponse>, Status> {
        Ok(Response::new(self.0.list_event_types()))
    }
}

#[tonic::async_trait]
impl StaffService for Service {
    async fn count_endpoints(
        &self,
        request: Request<proto::CountEndpointsRequest>,
    ) -> Result<Response<proto::CountEndpointsResponse>, Status> {
        let account = account(&request.get_ref().account_id)?;
        let endpoints = endpoints::of_account(&self.0.pool, account).await;
        let endpoints = endpoints.map_err(Fault::from)?.len();
        let endpoints = u32::try_from(endpoints).unwrap_or(u32::MAX);
        Ok(Response::new(proto::CountEndpointsResponse { endpoints }))
    }
}
