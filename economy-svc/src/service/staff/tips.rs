//! Booked tips.

use contracts::economy::v1 as proto;
use kit::cursor::SortTime;
use kit::page::Page;
use kit::{Fault, timestamp};
use uuid::Uuid;

use super::{Service, required_reason, reversal_message};
use crate::domain::staff_action::AuthorizedAction;
use crate::service::page;
use crate::store::tips::{self, Row};
use crate::write::{ReverseTransfer, Transfer};

pub(super) async fn list(
    service: &Service,
    request: proto::ListTipsRequest,
) -> Result<proto::ListTipsResponse, Fault> {
    let filters = [request.game.as_str()];
    let page: Page<(SortTime, Uuid)> = page::read("tips", filters, request.page)?;
    let game = service.game_filter(&request.game).await?;
    let after = page.after.map(|(SortTime(at), id)| (at, id));
    let mut rows = tips::list(&service.pool, game, after, page.rows_to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| (SortTime(row.at), row.id))?;
    let tips = rows.into_iter().map(message).collect();
    Ok(proto::ListTipsResponse {
        tips,
        next_cursor: next_cursor.unwrap_or_default(),
    })
}

fn message(row: Row) -> proto::BookedTip {
    proto::BookedTip {
        id: row.id.to_string(),
        game: row.slug,
        player: row.tip.player,
        amount: row.tip.amount,
        note: row.tip.note,
        at: Some(timestamp::encode(row.at)),
        reversal: row.reversal.map(reversal_message),
    }
}

pub(super) async fn reverse(
    service: &Service,
    by: AuthorizedAction,
    request: proto::ReverseTipRequest,
) -> Result<proto::ReverseTipResponse, Fault> {
    let id = request
        .tip
        .parse()
        .map_err(|_uuid| Fault::invalid_field("tip", "Give the id of a tip."))?;
    let reverse = ReverseTransfer {
        transfer: Transfer::Tip(id),
        reason: required_reason(&request.reason)?,
    };
    let unchanged = service.reverse(by, reverse).await?;
    Ok(proto::ReverseTipResponse { unchanged })
}
