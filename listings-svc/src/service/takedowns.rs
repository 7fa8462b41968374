//! Requests of accounts to take down their listings (`listings/v1/takedown.proto`).

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use kit::cursor::Binding;
use kit::feed::{Writer, unexpected_outcome};
use kit::{Fault, timestamp};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::listing_name::{self, Problems};
use super::paging::Paging;
use crate::domain::mode::Mode;
use crate::feed;
use crate::store::takedowns::{self, TakedownRequest};
use crate::write::takedowns::TakedownChange;
use crate::write::{Command, CommandHandler, Outcome};

/// Makes a request or declines it; returns the request after that.
pub(super) async fn write(
    writer: &Writer<CommandHandler>,
    change: TakedownChange,
) -> Result<proto::TakedownRequest, Fault> {
    let command = Command::Takedown(Box::new(change));
    match writer.write(command).await?.0 {
        Outcome::TakedownRequested(request) => Ok(message(*request)),
        other => Err(unexpected_outcome(&other)),
    }
}

pub(super) fn message(request: TakedownRequest) -> proto::TakedownRequest {
    let state = match request.state.as_str() {
        "granted" => proto::TakedownState::Granted,
        "declined" => proto::TakedownState::Declined,
        _ => proto::TakedownState::Waiting,
    };
    let mode = request.mode.parse().unwrap_or(Mode::Live);
    proto::TakedownRequest {
        id: request.id.to_string(),
        name: Some(proto::ListingName {
            kind: request.entity,
            mode: feed::mode(mode),
            name: request.name,
        }),
        title: request.title,
        account_id: request.account_id.to_string(),
        reason: request.reason,
        state: state.into(),
        made_at: Some(timestamp::encode(request.made_at)),
        decided_at: request.decided_at.map(timestamp::encode),
        answer: request.answer,
    }
}

/// The waiting requests, oldest first.
pub(super) async fn list_waiting(
    pool: &PgPool,
    page: common::PageRequest,
) -> Result<proto::ListTakedownRequestsResponse, Fault> {
    let mut problems = Problems::new();
    let binding = Binding::new("takedown requests", []);
    let paging = Paging::<(i128, Uuid)>::read(binding, page.limit, &page.cursor, &mut problems);
    let paging = listing_name::finish(Some(paging), problems)?;
    let after = paging
        .after
        .and_then(|(nanos, id)| Some((OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?, id)));
    let found = takedowns::list_waiting(pool, after, paging.fetch_limit()).await?;
    let total = takedowns::count_waiting(pool).await?;
    let (found, next) = paging.finish(found, |request| {
        (request.made_at.unix_timestamp_nanos(), request.id)
    })?;
    Ok(proto::ListTakedownRequestsResponse {
        requests: found.into_iter().map(message).collect(),
        page: Some(common::PageInfo {
            total: u64::try_from(total).unwrap_or_default(),
            next_cursor: Some(next).filter(|next| !next.is_empty()),
            ..common::PageInfo::default()
        }),
    })
}
