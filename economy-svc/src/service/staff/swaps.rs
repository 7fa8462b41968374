//! Booked swaps, and the import of past ones.

use std::collections::HashMap;

use contracts::economy::v1 as proto;
use kit::cursor::SortTime;
use kit::page::Page;
use kit::{Fault, timestamp};

use super::{Service, required_reason, reversal_message};
use crate::domain::staff_action::AuthorizedAction;
use crate::service::page;
use crate::service::swap_message::{ID_CONFLICT, currencies_of, parse};
use crate::store::has_nul;
use crate::store::swaps::{self, Row, Swap};
use crate::write::{Command, Outcome, ReverseTransfer, SwapSource, Transfer};

/// The most swaps in one call.
const MAX_SWAPS: usize = 1_000;

pub(super) async fn import(
    service: &Service,
    by: AuthorizedAction,
    request: proto::ImportSwapsRequest,
) -> Result<proto::ImportSwapsResponse, Fault> {
    if request.swaps.len() > MAX_SWAPS {
        let reason = format!("Send at most {MAX_SWAPS} in one call.");
        return Err(Fault::invalid_field("swaps", reason));
    }
    let now = service.clock.now();
    let currencies = currencies_of(&service.pool, &request.swaps).await?;
    let (mut swaps, mut refused) = (Vec::new(), Vec::new());
    for (index, sent) in (0..).zip(&request.swaps) {
        match parse(sent, &currencies, now) {
            Ok(swap) => swaps.push((index, swap)),
            Err(fault) => {
                let reasons =
                    (fault.fields.iter()).map(|(field, reason)| format!("{field}: {reason}"));
                let reason = reasons.collect::<Vec<_>>().join(" ");
                refused.push(proto::RefusedSwap { index, reason });
            }
        }
    }
    let command = Command::Swaps(
        SwapSource::Staff(by),
        swaps.iter().map(|(_, swap)| swap.clone()).collect(),
    );
    let booked = service.writer.write_as(command, Outcome::try_as_swapped);
    let booked = booked.await?.len();
    let ids: Vec<String> = swaps.iter().map(|(_, swap)| swap.id.clone()).collect();
    let stored = swaps::find(&service.pool, "", &ids).await?;
    let stored: HashMap<&str, &Swap> = stored.iter().map(|swap| (swap.id.as_str(), swap)).collect();
    // A swap whose id was booked before is repeated if it is the same swap, and refused otherwise.
    let conflicts = swaps
        .iter()
        .filter(|(_, swap)| stored.get(swap.id.as_str()) != Some(&swap));
    let accepted = swaps.len() - conflicts.clone().count();
    refused.extend(conflicts.map(|(index, _)| proto::RefusedSwap {
        index: *index,
        reason: format!("id: {ID_CONFLICT}"),
    }));
    refused.sort_unstable_by_key(|refused| refused.index);
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Ok(proto::ImportSwapsResponse {
        recorded: count(booked),
        repeated: count(accepted - booked),
        refused,
    })
}

pub(super) async fn list(
    service: &Service,
    request: proto::ListSwapsRequest,
) -> Result<proto::ListSwapsResponse, Fault> {
    let filters = [request.game.as_str()];
    let page: Page<(SortTime, String)> = page::read("swaps", filters, request.page)?;
    let game = service.game_filter(&request.game).await?;
    let after = page.after.clone().map(|(SortTime(at), id)| (at, id));
    let mut rows = swaps::list(&service.pool, game, after, page.rows_to_fetch()).await?;
    let key = |row: &Row| (SortTime(row.swap.at), row.id.clone());
    let next_cursor = page.cut(&mut rows, key)?;
    let swaps = rows.into_iter().map(message).collect();
    Ok(proto::ListSwapsResponse {
        swaps,
        next_cursor: next_cursor.unwrap_or_default(),
    })
}

fn message(row: Row) -> proto::BookedSwap {
    let Row {
        swap,
        exchange,
        from,
        to,
        reversal,
        ..
    } = row;
    proto::BookedSwap {
        swap: Some(proto::Swap {
            id: swap.id,
            party: swap.party,
            from,
            to,
            gave: swap.gave.unsigned_abs(),
            got: swap.got.unsigned_abs(),
            at: Some(timestamp::encode(swap.at)),
        }),
        reversal: reversal.map(reversal_message),
        exchange,
    }
}

pub(super) async fn reverse(
    service: &Service,
    by: AuthorizedAction,
    request: proto::ReverseSwapRequest,
) -> Result<proto::ReverseSwapResponse, Fault> {
    if has_nul(&request.swap) || has_nul(&request.exchange) {
        return Err(Fault::not_found("There is no such swap."));
    }
    let reverse = ReverseTransfer {
        transfer: Transfer::Swap {
            exchange: request.exchange,
            id: request.swap,
        },
        reason: required_reason(&request.reason)?,
    };
    let unchanged = service.reverse(by, reverse).await?;
    Ok(proto::ReverseSwapResponse { unchanged })
}
