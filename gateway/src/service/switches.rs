//! Operations on switches.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;

use super::Services;
use crate::domain::author::Author;
use crate::domain::fields;
use crate::store::switches;
use crate::write::switches as write;

/// All switches, in their order.
pub(super) async fn list(services: &Services) -> Result<proto::ListSwitchesResponse, Fault> {
    let mut connection = services.pool.acquire().await?;
    let mut settings = switches::all(&mut connection).await?;
    settings.sort_by_key(|setting| setting.switch);
    Ok(proto::ListSwitchesResponse { switches: settings.iter().map(Into::into).collect() })
}

/// All switches, without the reasons of staff.
pub(super) async fn list_public(services: &Services) -> Result<proto::ListSwitchesResponse, Fault> {
    let mut listed = list(services).await?;
    for switch in &mut listed.switches {
        switch.reason.clear();
    }
    Ok(listed)
}

pub(super) async fn set(
    services: &Services,
    by: Author,
    request: proto::SetSwitchRequest,
) -> Result<proto::SetSwitchResponse, Fault> {
    let mut bad = BadFields::default();
    let switch = fields::switch(&mut bad, "name", &request.name);
    let reason = fields::reason(&mut bad, "reason", &request.reason);
    bad.check()?;
    let setting = write::set(&services.producer, &by, switch, request.on, &reason).await?;
    Ok(proto::SetSwitchResponse { switch: Some((&setting).into()) })
}
