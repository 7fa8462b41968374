//! Commands on switches.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::ApplyResult;
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{Outcome, SwitchUpdate, feed_row, locked_row};
use crate::store::switches;

pub(super) async fn set(
    connection: &mut PgConnection,
    update: &SwitchUpdate,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let locked = switches::lock(connection, update.switch).await?;
    let setting = locked_row(locked, || Fault::not_found("There is no such switch."))?;
    let Some(setting) = setting.updated(update.on, &update.reason, now) else {
        return Ok((Outcome::Switch(setting), Vec::new()));
    };
    switches::update(connection, &setting).await?;
    let name = setting.switch.as_str().to_owned();
    let state = proto::Switch::from(&setting).encode_to_vec();
    let change = feed_row("switch", name, setting.revision, "updated", state);
    Ok((Outcome::Switch(setting), vec![change]))
}
