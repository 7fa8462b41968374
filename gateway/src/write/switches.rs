//! Switches: thrown.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::NewChange;
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{Done, Stop, Thrown, change, held};
use crate::store::switches;

pub(super) async fn throw(
    connection: &mut PgConnection,
    thrown: &Thrown,
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let locked = switches::lock(connection, thrown.switch).await?;
    let setting = held(locked, || Fault::not_found("there is no such switch"))?;
    let Some(setting) = setting.thrown(thrown.on, &thrown.reason, now) else {
        return Ok((Done::Switch(setting), Vec::new()));
    };
    switches::save(connection, &setting).await?;
    let name = setting.switch.as_str().to_owned();
    let state = proto::Switch::from(&setting).encode_to_vec();
    let change = change("switch", name, setting.revision, "updated", state);
    Ok((Done::Switch(setting), vec![change]))
}
