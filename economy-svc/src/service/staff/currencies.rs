//! The names of currencies.

use contracts::economy::v1 as proto;
use kit::Fault;
use kit::feed::arrival;
use kit::page::Page;

use super::Service;
use crate::domain::staff_action::AuthorizedAction;
use crate::service::currencies::{name_message, parse_name};
use crate::service::page;
use crate::store::{currencies, games};
use crate::write::SetName;

pub(super) async fn set(
    service: &Service,
    by: AuthorizedAction,
    request: proto::SetCurrencyRequest,
) -> Result<proto::SetCurrencyResponse, Fault> {
    let name = parse_name(&request.name)?;
    // Staff may have published the game a moment ago.
    let game = arrival(|| games::find(&service.pool, &request.game)).await?;
    let game = game.ok_or_else(|| {
        Fault::not_found(format!("There is no game with the slug {}.", request.game))
    })?;
    let command = SetName {
        game: game.id,
        slug: game.slug,
        name,
        given_by: by.member.name.clone(),
    };
    service.set_name(command, Some(by)).await
}

pub(super) async fn list_names(
    service: &Service,
    request: proto::ListCurrencyNamesRequest,
) -> Result<proto::ListCurrencyNamesResponse, Fault> {
    let page: Page<String> = page::read("currency names", [], request.page)?;
    let (after, limit) = (page.after.as_deref(), page.rows_to_fetch());
    let mut names = currencies::list(&service.pool, None, after, limit).await?;
    let next_cursor = page.cut(&mut names, |row| row.slug.clone())?;
    Ok(proto::ListCurrencyNamesResponse {
        currencies: names.into_iter().map(name_message).collect(),
        next_cursor: next_cursor.unwrap_or_default(),
    })
}
