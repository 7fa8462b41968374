//! The calls: each handler authorizes its caller, and does one operation. Only services of the fleet may call for messages and receivers
//! (`kit::rpc`), each for the account that it names.

use std::sync::Arc;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_server::DeliveriesService;
use contracts::webhook::v1::endpoints_service_server::EndpointsService;
use contracts::webhook::v1::messages_service_server::MessagesService;
use contracts::webhook::v1::receivers_service_server::ReceiversService;
use contracts::webhook::v1::staff_service_server::StaffService;
use kit::audit::Audit;
use kit::rpc::respond;
use kit::rpc::staff::Member;
use tonic::{Request, Response, Status};

use super::Dependencies;
use super::scope::Scope;
use crate::domain::staff_action::Action;

#[derive(Debug, Clone)]
pub(super) struct Service {
    pub(super) operations: Arc<Dependencies>,
    pub(super) audit: Audit,
}

/// A request about an account, or about one of its endpoints.
trait AccountRequest {
    /// The account. Staff may leave it empty.
    fn account(&self) -> &str;

    /// The type and name of the entity, for the audit.
    fn entity(&self) -> (&'static str, &str);
}

macro_rules! account_requests {
    ($($request:ty: $entity:literal, $name:ident;)+) => {$(
        impl AccountRequest for $request {
            fn account(&self) -> &str {
                &self.account_id
            }

            fn entity(&self) -> (&'static str, &str) {
                ($entity, &self.$name)
            }
        }
    )+};
}

account_requests! {
    proto::AddEndpointRequest: "account", account_id;
    proto::ListEndpointsRequest: "account", account_id;
    proto::ChangeEndpointRequest: "endpoint", id;
    proto::PauseEndpointRequest: "endpoint", id;
    proto::ResumeEndpointRequest: "endpoint", id;
    proto::RotateSecretRequest: "endpoint", id;
    proto::SwitchSecretRequest: "endpoint", id;
    proto::RemoveEndpointRequest: "endpoint", id;
    proto::GetEndpointRequest: "endpoint", id;
    proto::ListDeliveriesRequest: "endpoint", endpoint_id;
    proto::GetDeliveryRequest: "endpoint", endpoint_id;
    proto::SendAgainRequest: "endpoint", endpoint_id;
    proto::RecoverRequest: "endpoint", endpoint_id;
    proto::SendTestEventRequest: "endpoint", endpoint_id;
}

impl Service {
    /// The scope of a call: every account for a member of staff whose role allows the action, and the account that it names for a service of
    /// the fleet, which has authenticated the account.
    async fn authorize<T: AccountRequest + Send + Sync>(
        &self,
        request: Request<T>,
        action: Action,
    ) -> Result<(Scope, T), Status> {
        let (account, entity) = (request.get_ref().account(), request.get_ref().entity());
        let scope = if request.extensions().get::<Member>().is_some() {
            let by = self.audit.admit(&request, action, entity).await?;
            Scope::staff(account, by)?
        } else {
            Scope::account(account)?
        };
        Ok((scope, request.into_inner()))
    }
}

#[tonic::async_trait]
impl EndpointsService for Service {
    async fn add_endpoint(
        &self,
        request: Request<proto::AddEndpointRequest>,
    ) -> Result<Response<proto::AddEndpointResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::AddEndpoint).await?;
        respond(self.operations.add(&scope, request).await)
    }

    async fn change_endpoint(
        &self,
        request: Request<proto::ChangeEndpointRequest>,
    ) -> Result<Response<proto::ChangeEndpointResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::ChangeEndpoint).await?;
        let endpoint = Some(self.operations.change(&scope, request).await?);
        Ok(Response::new(proto::ChangeEndpointResponse { endpoint }))
    }

    async fn pause_endpoint(
        &self,
        request: Request<proto::PauseEndpointRequest>,
    ) -> Result<Response<proto::PauseEndpointResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::PauseEndpoint).await?;
        let endpoint = Some(self.operations.pause(&scope, &request.id).await?);
        Ok(Response::new(proto::PauseEndpointResponse { endpoint }))
    }

    async fn resume_endpoint(
        &self,
        request: Request<proto::ResumeEndpointRequest>,
    ) -> Result<Response<proto::ResumeEndpointResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::ResumeEndpoint).await?;
        let endpoint = Some(self.operations.resume(&scope, &request.id).await?);
        Ok(Response::new(proto::ResumeEndpointResponse { endpoint }))
    }

    async fn rotate_secret(
        &self,
        request: Request<proto::RotateSecretRequest>,
    ) -> Result<Response<proto::RotateSecretResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::RotateSecret).await?;
        respond(self.operations.rotate(&scope, &request.id).await)
    }

    async fn switch_secret(
        &self,
        request: Request<proto::SwitchSecretRequest>,
    ) -> Result<Response<proto::SwitchSecretResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::SwitchSecret).await?;
        let endpoint = Some(self.operations.switch(&scope, &request.id).await?);
        Ok(Response::new(proto::SwitchSecretResponse { endpoint }))
    }

    async fn remove_endpoint(
        &self,
        request: Request<proto::RemoveEndpointRequest>,
    ) -> Result<Response<proto::RemoveEndpointResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::RemoveEndpoint).await?;
        self.operations.remove(&scope, &request.id).await?;
        Ok(Response::new(proto::RemoveEndpointResponse {}))
    }

    async fn list_endpoints(
        &self,
        request: Request<proto::ListEndpointsRequest>,
    ) -> Result<Response<proto::ListEndpointsResponse>, Status> {
        let (scope, _) = self.authorize(request, Action::Look).await?;
        respond(self.operations.list_endpoints(&scope).await)
    }

    async fn get_endpoint(
        &self,
        request: Request<proto::GetEndpointRequest>,
    ) -> Result<Response<proto::GetEndpointResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::Look).await?;
        let endpoint = Some(self.operations.get_endpoint(&scope, &request.id).await?);
        Ok(Response::new(proto::GetEndpointResponse { endpoint }))
    }
}

#[tonic::async_trait]
impl DeliveriesService for Service {
    async fn list_deliveries(
        &self,
        request: Request<proto::ListDeliveriesRequest>,
    ) -> Result<Response<proto::ListDeliveriesResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::Look).await?;
        respond(self.operations.list_deliveries(&scope, request).await)
    }

    async fn get_delivery(
        &self,
        request: Request<proto::GetDeliveryRequest>,
    ) -> Result<Response<proto::GetDeliveryResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::Look).await?;
        respond(self.operations.get_delivery(&scope, request).await)
    }

    async fn send_again(
        &self,
        request: Request<proto::SendAgainRequest>,
    ) -> Result<Response<proto::SendAgainResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::SendAgain).await?;
        respond(self.operations.send_again(&scope, request).await)
    }

    async fn recover(
        &self,
        request: Request<proto::RecoverRequest>,
    ) -> Result<Response<proto::RecoverResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::Recover).await?;
        respond(self.operations.recover(&scope, request).await)
    }

    async fn send_test_event(
        &self,
        request: Request<proto::SendTestEventRequest>,
    ) -> Result<Response<proto::SendTestEventResponse>, Status> {
        let (scope, request) = self.authorize(request, Action::SendTestEvent).await?;
        respond(self.operations.send_test_event(&scope, request).await)
    }
}

#[tonic::async_trait]
impl MessagesService for Service {
    async fn list_messages(
        &self,
        request: Request<proto::ListMessagesRequest>,
    ) -> Result<Response<proto::ListMessagesResponse>, Status> {
        respond(self.operations.list_messages(request.into_inner()).await)
    }
}

#[tonic::async_trait]
impl ReceiversService for Service {
    async fn list_event_types(
        &self,
        _: Request<proto::ListEventTypesRequest>,
    ) -> Result<Response<proto::ListEventTypesResponse>, Status> {
        Ok(Response::new(self.operations.list_event_types()))
    }
}

#[tonic::async_trait]
impl StaffService for Service {
    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        self.audit.list::<Action>(request).await
    }
}
