//! Currencies, their figures and their names (`economy/v1/currencies.proto`).

use contracts::economy::v1 as proto;
use contracts::economy::v1::currencies_service_server::CurrenciesService;
use kit::Fault;
use kit::api::page::Page;
use kit::api::{text, timestamp};
use kit::rpc::respond;
use tonic::{Request, Response, Status};

use super::Service;
use super::games::{no_owned_game, owned_game, parse_account};
use super::page;
use super::render;
use super::snapshot::List;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::{currencies, searchable};
use crate::write::{SetName, currency};

/// Maximum length of a name.
const MAX_CHARS: usize = 60;
/// Prefix of `given_by` for a name that an account gave. A name that staff gave has the name of the member.
const BY_ACCOUNT: &str = "account ";

#[tonic::async_trait]
impl CurrenciesService for Service {
    async fn list_currencies(
        &self,
        request: Request<proto::ListCurrenciesRequest>,
    ) -> Result<Response<proto::ListCurrenciesResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshots.current(request.mode(), List::Currencies).await?;
        let total = u64::try_from(snapshot.economy.currencies.len()).unwrap_or(u64::MAX);
        let version = snapshot.version();
        let list = &snapshot.currencies.json;
        Ok(Response::new(proto::ListCurrenciesResponse {
            json: (version != request.known_version).then(|| list.clone()),
            page: Some(render::page_info(total)),
            version,
        }))
    }

    async fn set_own_currency(
        &self,
        request: Request<proto::SetOwnCurrencyRequest>,
    ) -> Result<Response<proto::SetCurrencyResponse>, Status> {
        respond(self.set_own(&request.into_inner()).await)
    }

    async fn list_own_currencies(
        &self,
        request: Request<proto::ListOwnCurrenciesRequest>,
    ) -> Result<Response<proto::ListOwnCurrenciesResponse>, Status> {
        respond(self.list_own(request.into_inner()).await)
    }
}

impl Service {
    async fn set_own(
        &self,
        request: &proto::SetOwnCurrencyRequest,
    ) -> Result<proto::SetCurrencyResponse, Fault> {
        let account = parse_account(&request.account_id)?;
        let name = parse_name(&request.name)?;
        let game = owned_game(&self.pool, account, &request.game).await?;
        let command = SetName {
            game: game.id,
            slug: game.slug,
            name,
            given_by: format!("{BY_ACCOUNT}{account}"),
        };
        self.set_name(command, None).await
    }

    /// Names the currency of a game, for its owner or for staff.
    pub(super) async fn set_name(
        &self,
        request: SetName,
        by: Option<AuthorizedAction>,
    ) -> Result<proto::SetCurrencyResponse, Fault> {
        let changed = currency::set_name(&self.producer, by.as_ref(), &request).await?;
        let stored = currencies::list(&self.pool, Some(request.game), None, 1).await?;
        Ok(proto::SetCurrencyResponse {
            currency: stored.into_iter().next().map(name_message),
            unchanged: !changed,
        })
    }

    /// The games of an account with their currencies.
    async fn list_own(
        &self,
        request: proto::ListOwnCurrenciesRequest,
    ) -> Result<proto::ListOwnCurrenciesResponse, Fault> {
        let account = parse_account(&request.account_id)?;
        let slug = Some(request.game.as_str()).filter(|slug| !slug.is_empty()).map(searchable);
        let filters = [request.account_id.as_str(), request.game.as_str()];
        let page: Page<String> = page::read("own currencies", filters, request.page)?;
        let (limit, after) = (page.rows_to_fetch(), page.after.as_deref());
        let rows = currencies::of_account(&self.pool, account, slug, after, limit).await?;
        let mut currencies: Vec<_> = rows.into_iter().map(own_currency).collect();
        if slug.is_some() && currencies.is_empty() {
            return Err(no_owned_game(&request.game));
        }
        let next = page.cut(&mut currencies, |currency| currency.game.clone())?;
        Ok(proto::ListOwnCurrenciesResponse { currencies, page: Some(page::info(next)) })
    }
}

/// Trims and validates a name.
///
/// # Errors
/// `invalid`: the name is empty, too long or not one line.
pub(super) fn parse_name(sent: &str) -> Result<String, Fault> {
    let name = text::line(sent, MAX_CHARS);
    let name = name.map_err(|reason| Fault::invalid_field("name", reason))?;
    if name.is_empty() {
        let reason = format!("It must have 1 to {MAX_CHARS} characters.");
        return Err(Fault::invalid_field("name", reason));
    }
    Ok(name)
}

pub(super) fn name_message(row: currencies::Row) -> proto::CurrencyName {
    proto::CurrencyName {
        game: row.slug,
        name: row.name,
        since: Some(timestamp::encode(row.since)),
        given_by: row.given_by,
    }
}

/// A game of an account. Members of staff are not named.
fn own_currency(row: currencies::OwnRow) -> proto::OwnCurrency {
    let given_by = row.given_by.unwrap_or_default();
    let is_account = given_by.starts_with(BY_ACCOUNT);
    let name = row.name.map(|name| proto::CurrencyName {
        game: row.slug.clone(),
        name,
        since: row.since.map(timestamp::encode),
        given_by: if is_account { "account" } else { "staff" }.to_owned(),
    });
    proto::OwnCurrency { game: row.slug, title: row.title, published: row.published, name }
}
