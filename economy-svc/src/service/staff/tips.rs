//! Booked tips.

use contracts::economy::v1 as proto;
use kit::cursor::SortTime;
use kit::page::Page;
use kit::{Fault, timestamp};
use uuid::Uuid;

use super::Service;
use crate::service::page;
use crate::store::tips::{self, Row};

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
    }
}
