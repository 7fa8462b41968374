//! Notices about endpoints on the feed of this service, which web turns into mails.

use contracts::webhook::v1::EndpointNotice;
use kit::feed::NewChange;
use kit::ids;
use prost::Message as _;

use crate::domain::health::Notification;
use crate::store::endpoints::Endpoint;

/// The change that publishes a notification.
pub(crate) fn change(endpoint: &Endpoint, notification: Notification) -> NewChange {
    let (event, failed) = match notification {
        Notification::DeliveriesFailed(count) => ("deliveries_failed", count.unsigned_abs()),
        Notification::DisabledAfterFailures => ("disabled_after_failures", 0),
        Notification::DisabledByGone => ("disabled_by_gone", 0),
    };
    let state = EndpointNotice {
        account_id: endpoint.account_id.to_string(),
        endpoint_id: endpoint.id.to_string(),
        url: endpoint.url.clone(),
        failed,
    };
    NewChange {
        entity: "endpoint_notice",
        id: ids::row_id().to_string(),
        revision: 1,
        event,
        announced: false,
        happening: true,
        state: state.encode_to_vec(),
    }
}
