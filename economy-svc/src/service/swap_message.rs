//! The message of a swap, as an exchange or staff send it.

use std::collections::{BTreeMap, HashMap, HashSet};

use contracts::economy::v1 as proto;
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
/// How old a swap may be that an exchange records. An older one would change rates that were published days ago: staff import it.
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

/// Parses a swap between two of these currencies, at most `max_age` old ([`MAX_AGE`] for an exchange, `None` for staff).
///
/// # Errors
/// `invalid`, with every bad field.
pub(super) fn parse(
    sent: &proto::Swap,
    currencies: &HashMap<String, Uuid>,
    now: OffsetDateTime,
    max_age: Option<Duration>,
) -> Result<Swap, Fault> {
    let mut bad = BTreeMap::new();
    let mut refuse = |field: &str, reason: String| {
        bad.insert(field.to_owned(), reason);
    };
    let is_id = (1..=MAX_CHARS).contains(&sent.id.len())
        && sent.id.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_id {
        refuse(
            "id",
            format!("It must be 1 to {MAX_CHARS} visible ASCII characters."),
        );
    }
    let party = sent.party.trim();
    if !(1..=MAX_CHARS).contains(&party.chars().count()) || party.chars().any(char::is_control) {
        refuse(
            "party",
            format!("It must be 1 to {MAX_CHARS} characters without control characters."),
        );
    }
    let mut amount = |field: &str, amount: u64| {
        if !(1..=MAX_SAFE_INTEGER).contains(&amount) {
            refuse(
                field,
                format!("It must be a whole number from 1 to {MAX_SAFE_INTEGER}."),
            );
        }
        amount.cast_signed()
    };
    let (gave, got) = (amount("gave", sent.gave), amount("got", sent.got));
    let at = match sent.at.map(timestamp::decode) {
        None => now,
        Some(Some(at)) if max_age.is_some_and(|age| at < now - age) => {
            refuse(
                "at",
                format!(
                    "It is more than {} days ago. Ask staff to import it.",
                    MAX_AGE.whole_days()
                ),
            );
            now
        }
        Some(Some(at)) => timestamp::not_ahead(at, now).unwrap_or_else(|reason| {
            refuse("at", reason);
            now
        }),
        Some(None) => {
            refuse("at", "It is not a valid timestamp.".to_owned());
            now
        }
    };
    let mut game = |field: &str, slug: &str| {
        let id = currencies.get(slug).copied();
        if id.is_none() {
            refuse(field, "No game with this slug has a currency.".to_owned());
        }
        id
    };
    let games = (game("from", &sent.from), game("to", &sent.to));
    if sent.from == sent.to {
        refuse("to", "It must differ from `from`.".to_owned());
    }
    match games {
        (Some(from_game), Some(to_game)) if bad.is_empty() => Ok(Swap {
            id: sent.id.clone(),
            at,
            party: party.to_owned(),
            from_game,
            to_game,
            gave,
            got,
        }),
        _ => Err(Fault::invalid(bad)),
    }
}
