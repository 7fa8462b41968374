//! The client of webhook-svc: messages that accounts pull, and the endpoints and deliveries of the account API.

use std::time::Duration;

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_client::DeliveriesServiceClient;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use contracts::webhook::v1::messages_service_client::MessagesServiceClient;
use kit::Fault;
use kit::rpc::client::Client;

use super::CallLimits;
use super::limit::CallLimit;
use super::read::read;
use super::write::write;

pub struct Webhooks {
    messages: MessagesServiceClient<Client>,
    endpoints: EndpointsServiceClient<Client>,
    deliveries: DeliveriesServiceClient<Client>,
    limit: CallLimit,
    deadline: Duration,
    write_deadline: Duration,
}

/// Methods that call the methods of the same names: `read` is idempotent, `write` is sent once.
macro_rules! calls {
    ($($kind:ident $client:ident $service:ident $method:ident($request:ident) -> $response:ident;)+) => {
        $(pub async fn $method(&self, request: proto::$request) -> Result<proto::$response, Fault> {
            let (client, method) = (self.$client.clone(), $service::$method);
            $kind(&self.limit, self.deadline_of(stringify!($kind)), client, method, request).await
        })+
    };
}

impl Webhooks {
    pub fn new(channel: Client, limits: CallLimits) -> Self {
        Self {
            messages: MessagesServiceClient::new(channel.clone()),
            endpoints: EndpointsServiceClient::new(channel.clone()),
            deliveries: DeliveriesServiceClient::new(channel),
            limit: CallLimit::new("webhook", limits),
            deadline: limits.deadline,
            write_deadline: limits.write_deadline,
        }
    }

    fn deadline_of(&self, kind: &str) -> Duration {
        if kind == "read" {
            self.deadline
        } else {
            self.write_deadline
        }
    }

    calls! {
        read messages MessagesServiceClient list_messages(ListMessagesRequest) -> ListMessagesResponse;
        read endpoints EndpointsServiceClient list_endpoints(ListEndpointsRequest) -> ListEndpointsResponse;
        read endpoints EndpointsServiceClient get_endpoint(GetEndpointRequest) -> GetEndpointResponse;
        write endpoints EndpointsServiceClient add_endpoint(AddEndpointRequest) -> AddEndpointResponse;
        write endpoints EndpointsServiceClient change_endpoint(ChangeEndpointRequest) -> ChangeEndpointResponse;
        write endpoints EndpointsServiceClient pause_endpoint(PauseEndpointRequest) -> PauseEndpointResponse;
        write endpoints EndpointsServiceClient resume_endpoint(ResumeEndpointRequest) -> ResumeEndpointResponse;
        write endpoints EndpointsServiceClient rotate_secret(RotateSecretRequest) -> RotateSecretResponse;
        write endpoints EndpointsServiceClient switch_secret(SwitchSecretRequest) -> SwitchSecretResponse;
        write endpoints EndpointsServiceClient remove_endpoint(RemoveEndpointRequest) -> RemoveEndpointResponse;
        read deliveries DeliveriesServiceClient list_deliveries(ListDeliveriesRequest) -> ListDeliveriesResponse;
        read deliveries DeliveriesServiceClient get_delivery(GetDeliveryRequest) -> GetDeliveryResponse;
        write deliveries DeliveriesServiceClient send_again(SendAgainRequest) -> SendAgainResponse;
        write deliveries DeliveriesServiceClient recover(RecoverRequest) -> RecoverResponse;
        write deliveries DeliveriesServiceClient send_test_event(SendTestEventRequest) -> SendTestEventResponse;
    }
}
