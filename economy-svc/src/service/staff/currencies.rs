//! The names of currencies.

use contracts::economy::v1 as proto;
use kit::Fault;
use kit::feed::arrival;

use super::Service;
use crate::domain::staff_action::By;
use crate::service::currencies::{parse_name, set as set_name};
use crate::store::games;

pub(super) async fn set(
    service: &Service,
    by: By,
    request: proto::SetCurrencyRequest,
) -> Result<proto::SetCurrencyResponse, Fault> {
    let name = parse_name(&request.name)?;
    // Staff may have published the game a moment ago.
    let game = arrival(|| games::find(&service.pool, &request.game)).await?;
    let game = game.ok_or_else(|| {
        Fault::not_found(format!("There is no game with the slug {}.", request.game))
    })?;
    let given_by = by.member.name.clone();
    let named = (game, name, given_by);
    set_name(&service.pool, &service.writer, named, Some(by)).await
}
