//! Commands on switches.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::Producer;
use prost::Message as _;

use super::{audit, commit, feed_row};
use crate::domain::author::Author;
use crate::domain::switch::{Setting, Switch};
use crate::store::switches;

pub(crate) async fn set(
    producer: &Producer,
    by: &Author,
    switch: Switch,
    on: bool,
    reason: &str,
) -> Result<Setting, Fault> {
    let mut transaction = producer.begin().await?;
    let locked = switches::lock(&mut transaction, switch).await?;
    let setting = locked.ok_or_else(|| Fault::not_found("There is no such switch."))?;
    let Some(setting) = setting.updated(on, reason, transaction.now) else {
        transaction.commit(&[]).await?;
        return Ok(setting);
    };
    switches::update(&mut transaction, &setting).await?;
    let name = setting.switch.as_str().to_owned();
    let state = proto::Switch::from(&setting).encode_to_vec();
    let change = feed_row("switch", name, setting.revision, "updated", state);
    commit(transaction, by, audit::switch(&setting), &[change]).await?;
    Ok(setting)
}
