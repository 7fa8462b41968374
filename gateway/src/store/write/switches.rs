//! Switches: thrown.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{Applied, NewChange};
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{Done, Outcome, Thrown};
use crate::store::{Locked, switches};

pub(super) async fn throw(
    connection: &mut PgConnection,
    thrown: &Thrown,
    now: OffsetDateTime,
) -> Outcome {
    let mut setting = match switches::lock(connection, thrown.switch).await? {
        Locked::Held(setting) => setting,
        Locked::Busy => return Ok(Applied::Busy),
        Locked::Absent => {
            return Ok(Applied::Refused(Fault::not_found(
                "there is no such switch",
            )));
        }
    };
    if setting.is_on == thrown.on {
        return Ok(Applied::Done(Done::Switch(setting), Vec::new()));
    }
    setting.is_on = thrown.on;
    setting.changed_at = Some(now);
    setting.reason.clone_from(&thrown.reason);
    setting.revision += 1;
    switches::save(connection, &setting).await?;
    let change = NewChange {
        entity: "switch",
        id: setting.switch.as_str().to_owned(),
        revision: setting.revision,
        event: "updated",
        announced: false,
        happening: false,
        state: proto::Switch::from(&setting).encode_to_vec(),
    };
    Ok(Applied::Done(Done::Switch(setting), vec![change]))
}
