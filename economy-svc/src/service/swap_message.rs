//! The message of a swap, as an exchange or staff send it.

use std::collections::{HashMap, HashSet};

use contracts::economy::v1 as proto;
use kit::bad_fields::BadFields;
use kit::{Fault, timestamp};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::domain::fields::MAX_SAFE_INTEGER;
use crate::store::swaps::Swap;
use crate::store::{currencies, has_nul};

/// Why the second of two different swaps with one id is refused.
pub(super) const ID_CONFLICT: &str =
    "A different swap with this id is already booked. Use a new id for each swap.";
/// Maximum length of the id of a swap, and of the name of a party.
const MAX_CHARS: usize = 128;
/// How old a new swap may be that an exchange records. An older one would change rates that were published days ago: staff import it.
pub(super) const MAX_AGE: Duration = Duration::days(7);

/// The ids of the games in these swaps that have a currency, by slug.
pub(super) async fn currencies_of(
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
pub(super) fn parse(
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

/// The error for a new swap of an exchange that is older than [`MAX_AGE`].
pub(super) fn too_old() -> Fault {
    let days = MAX_AGE.whole_days();
    let reason = format!("It is more than {days} days ago. Ask staff to import it.");
    Fault::invalid_field("at", reason)
}
