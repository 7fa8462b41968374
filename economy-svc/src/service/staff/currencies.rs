//! The names of currencies.

use contracts::economy::v1 as proto;
use kit::Fault;
use kit::cursor::SortTime;
use kit::feed::arrival;
use kit::page::Page;

use super::Service;
use crate::domain::staff_action::AuthorizedAction;
use crate::service::currencies::{group_by_currency, parse_name};
use crate::service::page;
use crate::store::currencies::{self, Row};
use crate::store::games;
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

/// The currencies with their names. A row of the page is a name: a currency with many names does not make the page longer.
pub(super) async fn list_names(
    service: &Service,
    request: proto::ListCurrencyNamesRequest,
) -> Result<proto::ListCurrencyNamesResponse, Fault> {
    let page: Page<(SortTime, String)> = page::read("currency names", [], request.page)?;
    let after = page
        .after
        .clone()
        .map(|(SortTime(since), slug)| (slug, since));
    let mut names = currencies::names(&service.pool, None, after, page.rows_to_fetch()).await?;
    let key = |row: &Row| (SortTime(row.since), row.slug.clone());
    let next_cursor = page.cut(&mut names, key)?;
    Ok(proto::ListCurrencyNamesResponse {
        currencies: group_by_currency(names),
        next_cursor: next_cursor.unwrap_or_default(),
    })
}
