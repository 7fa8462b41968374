//! Exchanges and their tokens.

use contracts::economy::v1 as proto;
use kit::page::Page;
use kit::{Fault, timestamp};

use super::Service;
use crate::domain::exchange::{is_name, token, token_hash};
use crate::domain::staff_action::AuthorizedAction;
use crate::service::page;
use crate::store::exchanges::{self, Exchange};
use crate::write::{Command, ExchangeCommand};

pub(super) async fn create(
    service: &Service,
    by: AuthorizedAction,
    request: proto::CreateExchangeRequest,
) -> Result<proto::CreateExchangeResponse, Fault> {
    let name = request.name;
    if !is_name(&name) {
        let reason =
            "Write it in small letters a to z, digits and single hyphens, 60 characters at most.";
        return Err(Fault::invalid_field("name", reason));
    }
    let token = token();
    let command = ExchangeCommand::Create {
        token_sha256: token_hash(&token),
    };
    let command = Command::Exchange(by, name.clone(), command);
    service.writer.write(command).await?;
    Ok(proto::CreateExchangeResponse {
        exchange: Some(find(service, &name).await?),
        token,
    })
}

pub(super) async fn list(
    service: &Service,
    request: proto::ListExchangesRequest,
) -> Result<proto::ListExchangesResponse, Fault> {
    let page: Page<String> = page::read("exchanges", [], request.page)?;
    let mut exchanges =
        exchanges::list(&service.pool, page.after.as_deref(), page.rows_to_fetch()).await?;
    let next_cursor = page.cut(&mut exchanges, |exchange| exchange.name.clone())?;
    Ok(proto::ListExchangesResponse {
        exchanges: exchanges.into_iter().map(message).collect(),
        next_cursor: next_cursor.unwrap_or_default(),
    })
}

pub(super) async fn revoke(
    service: &Service,
    by: AuthorizedAction,
    request: proto::RevokeExchangeRequest,
) -> Result<proto::RevokeExchangeResponse, Fault> {
    let name = request.name;
    find(service, &name).await?;
    let command = ExchangeCommand::Revoke;
    let command = Command::Exchange(by, name.clone(), command);
    service.writer.write(command).await?;
    Ok(proto::RevokeExchangeResponse {
        exchange: Some(find(service, &name).await?),
    })
}

async fn find(service: &Service, name: &str) -> Result<proto::Exchange, Fault> {
    // What is not a name is not looked up: it may have a NUL, which PostgreSQL refuses.
    let found = if is_name(name) {
        exchanges::find_named(&service.pool, name).await?
    } else {
        None
    };
    found.map(message).ok_or_else(|| {
        Fault::not_found(
            "There is no exchange with this name. `staff exchange list` lists all exchanges.",
        )
    })
}

fn message(exchange: Exchange) -> proto::Exchange {
    proto::Exchange {
        name: exchange.name,
        created_at: Some(timestamp::encode(exchange.created_at)),
        created_by: exchange.created_by,
        revoked_at: exchange.revoked_at.map(timestamp::encode),
    }
}
