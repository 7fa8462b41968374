//! The calls about endpoints of the stub of webhook-svc: every account has one endpoint, [`ENDPOINT`].

use contracts::gateway::v1::{
    AccountsServiceListTokenChangesRequest, AccountsServiceListTokenChangesResponse, Actor,
    TokenChange,
};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::endpoints_service_server::EndpointsService;
use kit::Fault;
use kit::rpc::actor;
use tonic::{Request, Response, Status};

use super::webhooks::Webhooks;
use super::{Outcome, START};

pub(crate) const ENDPOINT: &str = "0199f3a2-7c2f-7e51-9d3b-62a1bad4e388";
pub(crate) const URL: &str = "https://hooks.example/in";

fn endpoint() -> proto::Endpoint {
    proto::Endpoint {
        id: ENDPOINT.to_owned(),
        url: URL.to_owned(),
        state: proto::EndpointState::On.into(),
        ..proto::Endpoint::default()
    }
}

/// Finds the endpoint.
fn find(id: &str) -> Result<(), Status> {
    if id == ENDPOINT {
        return Ok(());
    }
    Err(Fault::not_found("There is no endpoint with this id.").into())
}

/// Checks fields as webhook-svc does, as far as tests need it.
fn check(url: Option<&str>, rate_limit: Option<u32>) -> Result<(), Status> {
    let mut fields = std::collections::BTreeMap::new();
    if url.is_some_and(|url| !url.starts_with("https://")) {
        fields.insert("url".to_owned(), "Use https.".to_owned());
    }
    if rate_limit.is_some_and(|limit| limit > 10_000) {
        fields.insert("rate_limit".to_owned(), "Too high.".to_owned());
    }
    if fields.is_empty() {
        return Ok(());
    }
    Err(Fault::invalid(fields).into())
}

impl Webhooks {
    /// Changes the endpoint, as the test has set it, and records the token that the gateway names.
    async fn write(&self, id: &str, by: Option<Actor>, change: &str) -> Result<(), Status> {
        find(id)?;
        let outcome = self.begin_change();
        match &outcome {
            Outcome::Refused(fault) => return Err(fault.clone().into()),
            Outcome::Hangs => self.released().await,
            Outcome::Written | Outcome::Lost => {}
        }
        let by = by.expect("a change has an author");
        self.record(TokenChange {
            id: kit::ids::row_id().to_string(),
            at: Some(kit::timestamp::encode(START)),
            token: by.token,
            address: by.address,
            action: "change_endpoint".to_owned(),
            endpoint_change: change.to_owned(),
            subject: URL.to_owned(),
        });
        match outcome {
            Outcome::Lost => Err(Status::new(tonic::Code::Unavailable, "connection reset")),
            _ => Ok(()),
        }
    }
}

#[tonic::async_trait]
impl EndpointsService for Webhooks {
    async fn add_endpoint(
        &self,
        request: Request<proto::AddEndpointRequest>,
    ) -> Result<Response<proto::AddEndpointResponse>, Status> {
        let by = actor::read(&request)?;
        let request = request.into_inner();
        check(Some(&request.url), request.rate_limit)?;
        self.write(ENDPOINT, by, "add").await?;
        Ok(Response::new(proto::AddEndpointResponse {
            endpoint: Some(endpoint()),
            secret: "svc_whsec_a".to_owned(),
        }))
    }

    async fn change_endpoint(
        &self,
        request: Request<proto::ChangeEndpointRequest>,
    ) -> Result<Response<proto::ChangeEndpointResponse>, Status> {
        let by = actor::read(&request)?;
        let request = request.into_inner();
        find(&request.id)?;
        check(request.url.as_deref(), request.rate_limit)?;
        self.write(&request.id, by, "change").await?;
        let endpoint = Some(endpoint());
        Ok(Response::new(proto::ChangeEndpointResponse { endpoint }))
    }

    async fn pause_endpoint(
        &self,
        request: Request<proto::PauseEndpointRequest>,
    ) -> Result<Response<proto::PauseEndpointResponse>, Status> {
        let by = actor::read(&request)?;
        self.write(&request.get_ref().id, by, "pause").await?;
        let endpoint = Some(endpoint());
        Ok(Response::new(proto::PauseEndpointResponse { endpoint }))
    }

    async fn resume_endpoint(
        &self,
        request: Request<proto::ResumeEndpointRequest>,
    ) -> Result<Response<proto::ResumeEndpointResponse>, Status> {
        let by = actor::read(&request)?;
        self.write(&request.get_ref().id, by, "resume").await?;
        let endpoint = Some(endpoint());
        Ok(Response::new(proto::ResumeEndpointResponse { endpoint }))
    }

    async fn rotate_secret(
        &self,
        request: Request<proto::RotateSecretRequest>,
    ) -> Result<Response<proto::RotateSecretResponse>, Status> {
        let by = actor::read(&request)?;
        self.write(&request.get_ref().id, by, "rotate-secret")
            .await?;
        Ok(Response::new(proto::RotateSecretResponse {
            endpoint: Some(endpoint()),
            secret: "svc_whsec_b".to_owned(),
        }))
    }

    async fn switch_secret(
        &self,
        request: Request<proto::SwitchSecretRequest>,
    ) -> Result<Response<proto::SwitchSecretResponse>, Status> {
        let by = actor::read(&request)?;
        self.write(&request.get_ref().id, by, "switch-secret")
            .await?;
        let endpoint = Some(endpoint());
        Ok(Response::new(proto::SwitchSecretResponse { endpoint }))
    }

    async fn remove_endpoint(
        &self,
        request: Request<proto::RemoveEndpointRequest>,
    ) -> Result<Response<proto::RemoveEndpointResponse>, Status> {
        let by = actor::read(&request)?;
        self.write(&request.get_ref().id, by, "remove").await?;
        Ok(Response::new(proto::RemoveEndpointResponse {}))
    }

    async fn list_endpoints(
        &self,
        _: Request<proto::ListEndpointsRequest>,
    ) -> Result<Response<proto::ListEndpointsResponse>, Status> {
        Ok(Response::new(proto::ListEndpointsResponse {
            endpoints: vec![endpoint()],
            ..proto::ListEndpointsResponse::default()
        }))
    }

    async fn get_endpoint(
        &self,
        request: Request<proto::GetEndpointRequest>,
    ) -> Result<Response<proto::GetEndpointResponse>, Status> {
        find(&request.get_ref().id)?;
        let endpoint = Some(endpoint());
        Ok(Response::new(proto::GetEndpointResponse { endpoint }))
    }

    async fn list_token_changes(
        &self,
        request: Request<AccountsServiceListTokenChangesRequest>,
    ) -> Result<Response<AccountsServiceListTokenChangesResponse>, Status> {
        let request = request.into_inner();
        let changes = self.recorded().into_iter();
        let changes = changes.filter(|it| request.before.is_empty() || it.id < request.before);
        Ok(Response::new(AccountsServiceListTokenChangesResponse {
            changes: changes.collect(),
        }))
    }
}
