//! The calls: each handler authorizes its caller, and does one operation. Only services of the fleet may call for messages and receivers
//! (`kit::rpc`), each for the account that it names.

use std::sync::Arc;

use contracts::common::v1::{ListAuditRequest, ListAuditResponse};
use contracts::gateway::v1::{
    AccountsServiceListTokenChangesRequest, AccountsServiceListTokenChangesResponse,
};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_server::DeliveriesService;
use contracts::webhook::v1::endpoints_service_server::EndpointsService;
use contracts::webhook::v1::messages_service_server::MessagesService;
use contracts::webhook::v1::receivers_service_server::ReceiversService;
use contracts::webhook::v1::staff_service_server::StaffService;
use kit::audit::Audit;
use kit::rpc::actor;
use kit::rpc::staff::Member;
use kit::token_changes;
use tonic::{Request, Response, Status};

use super::Dependencies;
use super::scope::{Caller, Scope};
use crate::SCHEMA;
use crate::domain::staff_action::Action;

#[derive(Debug, Clone)]
pub(super) struct Service {
    pub(super) operations: Arc<Dependencies>,
    pub(super) audit: Audit,
}

/// What a call reads or changes.
#[derive(Clone, Copy)]
struct Resource<'a> {
    /// Staff may leave it empty.
    account: &'a str,
    /// The type and name of the entity, for the audit.
    entity: (&'static str, &'a str),
}

impl<'a> Resource<'a> {
    fn account(account: &'a str) -> Self {
        let entity = ("account", account);
        Self { account, entity }
    }

    fn endpoint(account: &'a str, endpoint: &'a str) -> Self {
        let entity = ("endpoint", endpoint);
        Self { account, entity }
    }
}

impl Service {
    /// The scope of a call: every account for a member of staff whose role allows the action, and the account that it names for a service of
    /// the fleet, which has authenticated the account and, if the call has an actor with one, the account's token.
    async fn authorize<T: Send + Sync>(
        &self,
        request: Request<T>,
        action: Action,
        resource: impl Fn(&T) -> Resource<'_> + Send,
    ) -> Result<(Scope, T), Status> {
        let Resource { account, entity } = resource(request.get_ref());
        let scope = if request.extensions().get::<Member>().is_some() {
            let by = self.audit.admit(&request, action, entity).await?;
            Scope::staff(account, by)?
        } else {
            let actor = actor::read(&request)?;
            let token = actor.filter(|actor| actor.token.is_some());
            let caller = token.map_or(Caller::Account, |actor| Caller::Token(actor, action));
            Scope::account(account, caller)?
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
        let authorized = self.authorize(request, Action::AddEndpoint, |it| {
            Resource::account(&it.account_id)
        });
        let (scope, request) = authorized.await?;
        let answer = self.operations.add(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn change_endpoint(
        &self,
        request: Request<proto::ChangeEndpointRequest>,
    ) -> Result<Response<proto::ChangeEndpointResponse>, Status> {
        let authorized = self.authorize(request, Action::ChangeEndpoint, |it| {
            Resource::endpoint(&it.account_id, &it.id)
        });
        let (scope, request) = authorized.await?;
        let endpoint = Some(self.operations.change(&scope, request).await?);
        Ok(Response::new(proto::ChangeEndpointResponse { endpoint }))
    }

    async fn pause_endpoint(
        &self,
        request: Request<proto::PauseEndpointRequest>,
    ) -> Result<Response<proto::PauseEndpointResponse>, Status> {
        let authorized = self.authorize(request, Action::PauseEndpoint, |it| {
            Resource::endpoint(&it.account_id, &it.id)
        });
        let (scope, request) = authorized.await?;
        let endpoint = Some(self.operations.pause(&scope, &request.id).await?);
        Ok(Response::new(proto::PauseEndpointResponse { endpoint }))
    }

    async fn resume_endpoint(
        &self,
        request: Request<proto::ResumeEndpointRequest>,
    ) -> Result<Response<proto::ResumeEndpointResponse>, Status> {
        let authorized = self.authorize(request, Action::ResumeEndpoint, |it| {
            Resource::endpoint(&it.account_id, &it.id)
        });
        let (scope, request) = authorized.await?;
        let endpoint = Some(self.operations.resume(&scope, &request.id).await?);
        Ok(Response::new(proto::ResumeEndpointResponse { endpoint }))
    }

    async fn rotate_secret(
        &self,
        request: Request<proto::RotateSecretRequest>,
    ) -> Result<Response<proto::RotateSecretResponse>, Status> {
        let authorized = self.authorize(request, Action::RotateSecret, |it| {
            Resource::endpoint(&it.account_id, &it.id)
        });
        let (scope, request) = authorized.await?;
        let answer = self.operations.rotate(&scope, &request.id).await?;
        Ok(Response::new(answer))
    }

    async fn switch_secret(
        &self,
        request: Request<proto::SwitchSecretRequest>,
    ) -> Result<Response<proto::SwitchSecretResponse>, Status> {
        let authorized = self.authorize(request, Action::SwitchSecret, |it| {
            Resource::endpoint(&it.account_id, &it.id)
        });
        let (scope, request) = authorized.await?;
        let endpoint = Some(self.operations.switch(&scope, &request.id).await?);
        Ok(Response::new(proto::SwitchSecretResponse { endpoint }))
    }

    async fn remove_endpoint(
        &self,
        request: Request<proto::RemoveEndpointRequest>,
    ) -> Result<Response<proto::RemoveEndpointResponse>, Status> {
        let authorized = self.authorize(request, Action::RemoveEndpoint, |it| {
            Resource::endpoint(&it.account_id, &it.id)
        });
        let (scope, request) = authorized.await?;
        self.operations.remove(&scope, &request.id).await?;
        Ok(Response::new(proto::RemoveEndpointResponse {}))
    }

    async fn list_endpoints(
        &self,
        request: Request<proto::ListEndpointsRequest>,
    ) -> Result<Response<proto::ListEndpointsResponse>, Status> {
        let authorized = self.authorize(request, Action::Look, |it| {
            Resource::account(&it.account_id)
        });
        let (scope, _) = authorized.await?;
        let answer = self.operations.list_endpoints(&scope).await?;
        Ok(Response::new(answer))
    }

    async fn get_endpoint(
        &self,
        request: Request<proto::GetEndpointRequest>,
    ) -> Result<Response<proto::GetEndpointResponse>, Status> {
        let authorized = self.authorize(request, Action::Look, |it| {
            Resource::endpoint(&it.account_id, &it.id)
        });
        let (scope, request) = authorized.await?;
        let endpoint = Some(self.operations.get_endpoint(&scope, &request.id).await?);
        Ok(Response::new(proto::GetEndpointResponse { endpoint }))
    }

    async fn list_token_changes(
        &self,
        request: Request<AccountsServiceListTokenChangesRequest>,
    ) -> Result<Response<AccountsServiceListTokenChangesResponse>, Status> {
        let authorized = self.authorize(request, Action::Look, |it| {
            Resource::account(&it.account_id)
        });
        let (_, request) = authorized.await?;
        let changes = token_changes::list(&self.operations.pool, SCHEMA, &request).await?;
        Ok(Response::new(AccountsServiceListTokenChangesResponse {
            changes,
        }))
    }
}

#[tonic::async_trait]
impl DeliveriesService for Service {
    async fn list_deliveries(
        &self,
        request: Request<proto::ListDeliveriesRequest>,
    ) -> Result<Response<proto::ListDeliveriesResponse>, Status> {
        let authorized = self.authorize(request, Action::Look, |it| {
            Resource::endpoint(&it.account_id, &it.endpoint_id)
        });
        let (scope, request) = authorized.await?;
        let answer = self.operations.list_deliveries(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn get_delivery(
        &self,
        request: Request<proto::GetDeliveryRequest>,
    ) -> Result<Response<proto::GetDeliveryResponse>, Status> {
        let authorized = self.authorize(request, Action::Look, |it| {
            Resource::endpoint(&it.account_id, &it.endpoint_id)
        });
        let (scope, request) = authorized.await?;
        let answer = self.operations.get_delivery(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn send_again(
        &self,
        request: Request<proto::SendAgainRequest>,
    ) -> Result<Response<proto::SendAgainResponse>, Status> {
        let authorized = self.authorize(request, Action::SendAgain, |it| {
            Resource::endpoint(&it.account_id, &it.endpoint_id)
        });
        let (scope, request) = authorized.await?;
        let answer = self.operations.send_again(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn recover(
        &self,
        request: Request<proto::RecoverRequest>,
    ) -> Result<Response<proto::RecoverResponse>, Status> {
        let authorized = self.authorize(request, Action::Recover, |it| {
            Resource::endpoint(&it.account_id, &it.endpoint_id)
        });
        let (scope, request) = authorized.await?;
        let answer = self.operations.recover(&scope, request).await?;
        Ok(Response::new(answer))
    }

    async fn send_test_event(
        &self,
        request: Request<proto::SendTestEventRequest>,
    ) -> Result<Response<proto::SendTestEventResponse>, Status> {
        let authorized = self.authorize(request, Action::SendTestEvent, |it| {
            Resource::endpoint(&it.account_id, &it.endpoint_id)
        });
        let (scope, request) = authorized.await?;
        let answer = self.operations.send_test_event(&scope, request).await?;
        Ok(Response::new(answer))
    }
}

#[tonic::async_trait]
impl MessagesService for Service {
    async fn list_messages(
        &self,
        request: Request<proto::ListMessagesRequest>,
    ) -> Result<Response<proto::ListMessagesResponse>, Status> {
        let answer = self.operations.list_messages(request.into_inner()).await?;
        Ok(Response::new(answer))
    }
}

#[tonic::async_trait]
impl ReceiversService for Service {
    async fn list_event_types(
        &self,
        _: Request<proto::ListEventTypesRequest>,
    ) -> Result<Response<proto::ListEventTypesResponse>, Status> {
        Ok(Response::new(self.operations.list_event_types()?))
    }

    async fn check_receiver(
        &self,
        request: Request<proto::CheckReceiverRequest>,
    ) -> Result<Response<proto::CheckReceiverResponse>, Status> {
        let request = request.into_inner();
        let scope = Scope::account(&request.account_id, Caller::Account)?;
        let answer = self.operations.check_receiver(&scope, &request).await?;
        Ok(Response::new(answer))
    }
}

#[tonic::async_trait]
impl StaffService for Service {
    async fn list_audit(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        let answer = self.audit.list::<Action>(request).await?;
        Ok(Response::new(answer))
    }
}
