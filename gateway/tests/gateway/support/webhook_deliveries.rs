//! The calls about deliveries of the stub of webhook-svc, which refuses them all, as those of an endpoint that is switched off.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_server::DeliveriesService;
use kit::Fault;
use tonic::{Request, Response, Status};

use super::webhooks::Webhooks;

pub(crate) const REASON: &str = "The endpoint is switched off: resume it first.";

fn refusal() -> Status {
    Fault::invalid_field("endpoint_id", REASON).into()
}

#[tonic::async_trait]
impl DeliveriesService for Webhooks {
    async fn list_deliveries(
        &self,
        _: Request<proto::ListDeliveriesRequest>,
    ) -> Result<Response<proto::ListDeliveriesResponse>, Status> {
        Err(refusal())
    }

    async fn get_delivery(
        &self,
        _: Request<proto::GetDeliveryRequest>,
    ) -> Result<Response<proto::GetDeliveryResponse>, Status> {
        Err(refusal())
    }

    async fn send_again(
        &self,
        _: Request<proto::SendAgainRequest>,
    ) -> Result<Response<proto::SendAgainResponse>, Status> {
        Err(refusal())
    }

    async fn recover(
        &self,
        _: Request<proto::RecoverRequest>,
    ) -> Result<Response<proto::RecoverResponse>, Status> {
        Err(refusal())
    }

    async fn send_test_event(
        &self,
        _: Request<proto::SendTestEventRequest>,
    ) -> Result<Response<proto::SendTestEventResponse>, Status> {
        Err(refusal())
    }
}
