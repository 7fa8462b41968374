//! The endpoints, deliveries and messages of an account (`webhook/v1/endpoints.proto`, `deliveries.proto`,
//! `messages.proto`, `receivers.proto`).

use std::sync::Arc;

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_server::DeliveriesService;
use contracts::webhook::v1::endpoints_service_server::EndpointsService;
use contracts::webhook::v1::messages_service_server::MessagesService;
use contracts::webhook::v1::receivers_service_server::ReceiversService;
use tonic::{Request, Response, Status};

use super::Dependencies;
use super::scope::Scope;

#[derive(Debug)]
pub(super) struct Service(pub(super) Arc<Dependencies>);

#[tonic::async_trait]
impl EndpointsService for Service {
    async fn add_endpoint(
        &self,
        request: Request<proto::AddEndpointRequest>,
    ) -> Result<Response<proto::AddEndpointResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let answer = self.0.add(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn change_endpoint(
        &self,
        request: Request<proto::ChangeEndpointRequest>,
    ) -> Result<Response<proto::ChangeEndpointResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let endpoint = Some(self.0.change(&scope, request).await?);
        Ok(Response::new(proto::ChangeEndpointResponse { endpoint }))
    }

    async fn pause_endpoint(
        &self,
        request: Request<proto::PauseEndpointRequest>,
    ) -> Result<Response<proto::PauseEndpointResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let endpoint = Some(self.0.pause(&scope, &request.id).await?);
        Ok(Response::new(proto::PauseEndpointResponse { endpoint }))
    }

    async fn resume_endpoint(
        &self,
        request: Request<proto::ResumeEndpointRequest>,
    ) -> Result<Response<proto::ResumeEndpointResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let endpoint = Some(self.0.resume(&scope, &request.id).await?);
        Ok(Response::new(proto::ResumeEndpointResponse { endpoint }))
    }

    async fn rotate_secret(
        &self,
        request: Request<proto::RotateSecretRequest>,
    ) -> Result<Response<proto::RotateSecretResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let answer = self.0.rotate(&scope, &request.id).await?;
        Ok(Response::new(answer))
    }

    async fn switch_secret(
        &self,
        request: Request<proto::SwitchSecretRequest>,
    ) -> Result<Response<proto::SwitchSecretResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let endpoint = Some(self.0.switch(&scope, &request.id).await?);
        Ok(Response::new(proto::SwitchSecretResponse { endpoint }))
    }

    async fn remove_endpoint(
        &self,
        request: Request<proto::RemoveEndpointRequest>,
    ) -> Result<Response<proto::RemoveEndpointResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        self.0.remove(&scope, &request.id).await?;
        Ok(Response::new(proto::RemoveEndpointResponse {}))
    }

    async fn list_endpoints(
        &self,
        request: Request<proto::ListEndpointsRequest>,
    ) -> Result<Response<proto::ListEndpointsResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let answer = self.0.list_endpoints(&scope).await?;
        Ok(Response::new(answer))
    }

    async fn get_endpoint(
        &self,
        request: Request<proto::GetEndpointRequest>,
    ) -> Result<Response<proto::GetEndpointResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let endpoint = Some(self.0.get_endpoint(&scope, &request.id).await?);
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
        let scope = Scope::account(&request.account_id)?;
        let answer = self.0.list_deliveries(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn get_delivery(
        &self,
        request: Request<proto::GetDeliveryRequest>,
    ) -> Result<Response<proto::GetDeliveryResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let answer = self.0.get_delivery(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn send_again(
        &self,
        request: Request<proto::SendAgainRequest>,
    ) -> Result<Response<proto::SendAgainResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let delivery = Some(self.0.send_again(&scope, request).await?);
        Ok(Response::new(proto::SendAgainResponse { delivery }))
    }

    async fn recover(
        &self,
        request: Request<proto::RecoverRequest>,
    ) -> Result<Response<proto::RecoverResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let answer = self.0.recover(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn send_test_event(
        &self,
        request: Request<proto::SendTestEventRequest>,
    ) -> Result<Response<proto::SendTestEventResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let delivery = Some(self.0.send_test_event(&scope, request).await?);
        Ok(Response::new(proto::SendTestEventResponse { delivery }))
    }
}

#[tonic::async_trait]
impl MessagesService for Service {
    async fn list_messages(
        &self,
        request: Request<proto::ListMessagesRequest>,
    ) -> Result<Response<proto::ListMessagesResponse>, Status> {
        let answer = self.0.list_messages(request.into_inner()).await?;
        Ok(Response::new(answer))
    }
}

#[tonic::async_trait]
impl ReceiversService for Service {
    async fn list_event_types(
        &self,
        _: Request<proto::ListEventTypesRequest>,
    ) -> Result<Response<proto::ListEventTypesResponse>, Status> {
        Ok(Response::new(self.0.list_event_types()?))
    }

    async fn check_receiver(
        &self,
        request: Request<proto::CheckReceiverRequest>,
    ) -> Result<Response<proto::CheckReceiverResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id)?;
        let answer = self.0.check_receiver(&scope, &request).await?;
        Ok(Response::new(answer))
    }
}
