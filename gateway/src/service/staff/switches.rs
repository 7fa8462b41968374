//! RPCs for switches.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;

use super::Staff;
use crate::domain::fields;
use crate::domain::staff_action::AuthorizedAction;
use crate::write::{self, SwitchUpdate};

pub(super) async fn list(
    staff: &Staff,
    _: proto::ListSwitchesRequest,
) -> Result<proto::ListSwitchesResponse, Fault> {
    let settings = staff.operations.list_switches().await?;
    Ok(proto::ListSwitchesResponse {
        switches: settings.iter().map(Into::into).collect(),
    })
}

pub(super) async fn set(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::SetSwitchRequest,
) -> Result<proto::SetSwitchResponse, Fault> {
    let mut bad = BadFields::default();
    let update = SwitchUpdate {
        switch: fields::switch(&mut bad, "name", &request.name),
        on: request.on,
        reason: fields::reason(&mut bad, "reason", &request.reason),
    };
    bad.check()?;
    let producer = &staff.operations.producer;
    let setting = write::switches::set(producer, &by.into(), &update).await?;
    Ok(proto::SetSwitchResponse {
        switch: Some((&setting).into()),
    })
}
