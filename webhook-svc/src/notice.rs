//! Notices about endpoints on the feed of this service, which web turns into mails.

use contracts::webhook::v1::EndpointNotice;
use kit::feed::NewChange;
use kit::ids;
use prost::Message as _;

use crate::domain::health::Notice;
use crate::store::endpoints::Endpoint;

/// The change that publishes a notice.
pub(crate) fn change(endpoint: &Endpoint, notice: Notice) -> NewChange {
    let (event, failed) = match notice {
        Notice::DeliveriesFailed(count) => ("deliveries_failed", count.unsigned_abs()),
        Notice::DisabledAfterFailures => ("disabled_after_failures", 0),
        Notice::DisabledByGone => ("disabled_by_gone", 0),
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
