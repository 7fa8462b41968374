//! Locks a listing by its name, inside the writer's transaction.

use kit::feed::ApplyError;
use sqlx::PgConnection;

use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::slug;
use crate::store::RecordTable;

/// Locks the listing with this slug or handle; `None` when there is none.
///
/// # Errors
/// `Busy` while another transaction has locked it.
pub(super) async fn lock_listing<C>(
    connection: &mut PgConnection,
    mode: Mode,
    name: &str,
) -> Result<Option<Listing<C>>, ApplyError>
where
    Listing<C>: RecordTable,
{
    // A name that is not a slug matches nothing, and PostgreSQL does not accept NUL.
    if !slug::is_valid(name) {
        return Ok(None);
    }
    let locked = Listing::<C>::lock(connection, mode, &[name.to_owned()]).await?;
    Ok(locked.ok_or(ApplyError::Busy)?.into_iter().next())
}
