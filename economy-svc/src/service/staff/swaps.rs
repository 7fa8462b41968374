//! Imports past swaps.

use std::collections::HashMap;

use contracts::economy::v1 as proto;
use kit::Fault;
use kit::feed::unexpected_outcome;

use super::Service;
use crate::domain::staff_action::By;
use crate::service::exchange::{ID_CONFLICT, currencies_of, parse};
use crate::store::swaps::{self, Swap};
use crate::write::{Command, Outcome};

/// Swaps in one call.
const MAX_SWAPS: usize = 1_000;

pub(super) async fn import(
    service: &Service,
    by: By,
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
        Some(by),
        swaps.iter().map(|(_, swap)| swap.clone()).collect(),
    );
    let booked = match service.run(command).await? {
        Outcome::Swapped(booked) => booked.len(),
        other => return Err(unexpected_outcome(&other)),
    };
    let ids: Vec<String> = swaps.iter().map(|(_, swap)| swap.id.clone()).collect();
    let stored = swaps::find(&service.pool, &ids).await?;
    let stored: HashMap<&str, &Swap> = stored.iter().map(|swap| (swap.id.as_str(), swap)).collect();
    let sent = swaps.len();
    swaps.retain(|(_, swap)| stored.get(swap.id.as_str()) != Some(&swap));
    refused.extend(swaps.iter().map(|(index, _)| proto::RefusedSwap {
        index: *index,
        reason: format!("id: {ID_CONFLICT}"),
    }));
    refused.sort_unstable_by_key(|refused| refused.index);
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Ok(proto::ImportSwapsResponse {
        recorded: count(booked),
        repeated: count(sent - booked - swaps.len()),
        refused,
    })
}
