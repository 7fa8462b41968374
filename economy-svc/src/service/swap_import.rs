//! The import of swaps from files, by staff.

use std::collections::{HashMap, HashSet};

use contracts::economy::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::timestamp;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Service;
use crate::domain::fields::MAX_SAFE_INTEGER;
use crate::domain::staff_action::AuthorizedAction;
use crate::store::swaps::Swap;
use crate::store::{currencies, has_nul};
use crate::write::swap::{self, ImportedSwaps};

/// The most swaps in one call.
const MAX_SWAPS: usize = 1_000;
/// Maximum length of the id of a swap, and of the name of a party.
const MAX_CHARS: usize = 128;

impl Service {
    /// Books the swaps that are new, and says which are refused.
    pub(super) async fn import(
        &self,
        by: &AuthorizedAction,
        request: proto::ImportSwapsRequest,
    ) -> Result<proto::ImportSwapsResponse, Fault> {
        check_count(request.swaps.len())?;
        let now = self.clock.now();
        let currencies = currencies_of(&self.pool, &request.swaps).await?;
        let (mut swaps, mut refused) = (Vec::new(), Vec::new());
        for (index, sent) in (0..).zip(&request.swaps) {
            match parse(sent, &currencies, now) {
                Ok(swap) => swaps.push((index, sent.at.is_some(), swap)),
                Err(fault) => {
                    let reasons =
                        (fault.fields.iter()).map(|(field, reason)| format!("{field}: {reason}"));
                    let reason = reasons.collect::<Vec<_>>().join(" ");
                    refused.push(proto::RefusedSwap { index, reason });
                }
            }
        }
        let sent: Vec<Swap> = swaps.iter().map(|(_, _, swap)| swap.clone()).collect();
        let ImportedSwaps { booked, stored } = swap::import(&self.producer, by, &sent).await?;
        let mut booked: HashSet<String> = booked.into_iter().collect();
        let stored: HashMap<&str, &Swap> =
            stored.iter().map(|swap| (swap.id.as_str(), swap)).collect();
        let (mut recorded, mut repeated) = (0, 0);
        for (index, has_time, swap) in swaps {
            let reason = match stored.get(swap.id.as_str()) {
                Some(stored) if is_same(stored, &swap, has_time) => {
                    // Of two such swaps in one import, the first is the new one.
                    let is_new = booked.remove(&swap.id);
                    *(if is_new { &mut recorded } else { &mut repeated }) += 1;
                    continue;
                }
                Some(_) => {
                    "id: A different swap with this id is already booked. Use a new id for each swap."
                }
                None => "id: The swap was removed during the import. Import it again.",
            };
            refused.push(proto::RefusedSwap { index, reason: reason.to_owned() });
        }
        refused.sort_unstable_by_key(|refused| refused.index);
        Ok(proto::ImportSwapsResponse { recorded, repeated, refused })
    }
}

/// Whether a swap is the one that is stored. An old one has no party any more, and one that was sent without a time has that of its first
/// import.
fn is_same(stored: &Swap, sent: &Swap, has_time: bool) -> bool {
    let mut sent = sent.clone();
    if stored.party.is_empty() {
        sent.party.clear();
    }
    if !has_time {
        sent.at = stored.at;
    }
    *stored == sent
}

pub(super) fn check_count(count: usize) -> Result<(), Fault> {
    if count > MAX_SWAPS {
        let reason = format!("Send at most {MAX_SWAPS} in one call.");
        return Err(Fault::invalid_field("swaps", reason));
    }
    Ok(())
}

/// The ids of the games in these swaps that have a currency, by slug.
async fn currencies_of(
    pool: &PgPool,
    sent: impl IntoIterator<Item = &proto::Swap>,
) -> Result<HashMap<String, Uuid>, sqlx::Error> {
    let slugs: HashSet<&String> = (sent.into_iter())
        .flat_map(|swap| [&swap.from, &swap.to])
        .filter(|slug| !has_nul(slug))
        .collect();
    let slugs: Vec<String> = slugs.into_iter().cloned().collect();
    currencies::of_slugs(pool, &slugs).await
}

/// Parses a swap between two of these currencies.
///
/// # Errors
/// `invalid`, with every bad field.
fn parse(
    sent: &proto::Swap,
    currencies: &HashMap<String, Uuid>,
    now: OffsetDateTime,
) -> Result<Swap, Fault> {
    let mut bad = BadFields::default();
    let is_id = (1..=MAX_CHARS).contains(&sent.id.len())
        && sent.id.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_id {
        let reason = format!("It must be 1 to {MAX_CHARS} visible ASCII characters.");
        bad.add("id", reason);
    }
    let party = sent.party.trim();
    if !(1..=MAX_CHARS).contains(&party.chars().count()) || party.chars().any(char::is_control) {
        let reason = format!("It must be 1 to {MAX_CHARS} characters without control characters.");
        bad.add("party", reason);
    }
    for (field, amount) in [("gave", sent.gave), ("got", sent.got)] {
        if !(1..=MAX_SAFE_INTEGER).contains(&amount) {
            let reason = format!("It must be a whole number from 1 to {MAX_SAFE_INTEGER}.");
            bad.add(field, reason);
        }
    }
    let at = bad.time("at", sent.at);
    let at = at.and_then(|at| bad.read("at", timestamp::not_ahead(at, now)));
    if sent.from == sent.to {
        bad.add("to", "It must differ from `from`.");
    }
    let mut game = |field: &str, slug: &str| {
        let id = currencies.get(slug).copied();
        bad.read(field, id.ok_or("No game with this slug has a currency."))
    };
    let games = game("from", &sent.from).zip(game("to", &sent.to));
    let (from_game, to_game) = bad.finish(games)?;
    Ok(Swap {
        id: sent.id.clone(),
        at: at.unwrap_or(now),
        party: party.to_owned(),
        from_game,
        to_game,
        gave: sent.gave.cast_signed(),
        got: sent.got.cast_signed(),
    })
}
