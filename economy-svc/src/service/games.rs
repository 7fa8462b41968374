//! The look-up of an account's games, and the errors for a slug that no owned or listed game has.

use kit::Fault;
use sqlx::PgPool;
use uuid::Uuid;

use crate::store::games::{self, Game};

pub(super) fn parse_account(id: &str) -> Result<Uuid, Fault> {
    id.parse().map_err(|_uuid| Fault::invalid_field("account_id", "It is the id of an account."))
}

/// The live game with this slug, whose page the account owns.
///
/// # Errors
/// `not_found`: there is no such game, or another account owns its page. A caller cannot tell one from the other.
pub(super) async fn owned_game(pool: &PgPool, account: Uuid, slug: &str) -> Result<Game, Fault> {
    let found = games::find(pool, slug, Some(account)).await?;
    found.ok_or_else(|| no_owned_game(slug))
}

/// The error for an account that owns no game with this slug.
pub(super) fn no_owned_game(slug: &str) -> Fault {
    Fault::not_found(format!("No game of yours has the slug {slug}. GET /me/listings lists yours."))
}

/// The error for a field that names a game without a listed currency.
pub(super) fn not_listed(field: &str) -> Fault {
    let reason =
        "No listed currency belongs to a game with this slug; GET /economy/currencies lists them.";
    Fault::invalid_field(field, reason)
}
