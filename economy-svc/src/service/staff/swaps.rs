//! Swaps of the past.

use std::collections::HashMap;

use contracts::economy::v1 as proto;
use kit::Fault;

use super::Service;
use crate::domain::staff_action::By;
use crate::service::exchange::{OTHER, currencies_of, read};
use crate::store::swaps::{self, Swap};
use crate::write::{Done, Write, unexpected};

/// Swaps of a call at most.
const MOST: usize = 1_000;

pub(super) async fn import(
    service: &Service,
    by: By,
    request: proto::ImportSwapsRequest,
) -> Result<proto::ImportSwapsResponse, Fault> {
    if request.swaps.len() > MOST {
        let reason = format!("At most {MOST} go in one call.");
        return Err(Fault::invalid_field("swaps", reason));
    }
    let now = service.clock.now();
    let currencies = currencies_of(&service.pool, &request.swaps).await?;
    let (mut swaps, mut refused) = (Vec::new(), Vec::new());
    for (index, sent) in (0..).zip(&request.swaps) {
        match read(sent, &currencies, now) {
            Ok(swap) => swaps.push((index, swap)),
            Err(fault) => {
                let reasons =
                    (fault.fields.iter()).map(|(field, reason)| format!("{field}: {reason}"));
                let reason = reasons.collect::<Vec<_>>().join(" ");
                refused.push(proto::RefusedSwap { index, reason });
            }
        }
    }
    let write = Write::Swaps(
        Some(by),
        swaps.iter().map(|(_, swap)| swap.clone()).collect(),
    );
    let booked = match service.write(write).await? {
        Done::Swapped(booked) => booked.len(),
        other => return Err(unexpected(&other)),
    };
    let ids: Vec<String> = swaps.iter().map(|(_, swap)| swap.id.clone()).collect();
    let held = swaps::find(&service.pool, &ids).await?;
    let held: HashMap<&str, &Swap> = held.iter().map(|swap| (swap.id.as_str(), swap)).collect();
    let sent = swaps.len();
    swaps.retain(|(_, swap)| held.get(swap.id.as_str()) != Some(&swap));
    refused.extend(swaps.iter().map(|(index, _)| proto::RefusedSwap {
        index: *index,
        reason: format!("id: {OTHER}"),
    }));
    refused.sort_unstable_by_key(|refused| refused.index);
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    Ok(proto::ImportSwapsResponse {
        recorded: count(booked),
        repeated: count(sent - booked - swaps.len()),
        refused,
    })
}
