//! Locks a listing by its name.

use sqlx::PgConnection;

use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::slug;
use crate::store::RecordTable;

/// Locks the listing with this slug or handle; `None` when there is none.
pub(super) async fn lock_listing<C>(
    connection: &mut PgConnection,
    mode: Mode,
    name: &str,
) -> Result<Option<Listing<C>>, sqlx::Error>
where
    Listing<C>: RecordTable,
{
    // A name that is not a slug matches nothing, and PostgreSQL does not accept NUL.
    if !slug::is_valid(name) {
        return Ok(None);
    }
    let locked = Listing::<C>::lock(connection, mode, &[name.to_owned()]).await?;
    Ok(locked.into_iter().next())
}
