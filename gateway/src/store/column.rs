//! Enums of the domain in columns of the type `text`. A newer version of the service may have written a value that this version does not know.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use kit::throttle::Throttle;
use uuid::Uuid;

/// Errors about unknown values: any call with such a key causes one.
static ERRORS: Throttle = Throttle::new();

/// A row with an unknown value. A list leaves it out. A command on the row alone fails, because its message on the feed has the value: only
/// the newer version can rotate or revoke such a key, or close its account.
#[derive(Debug)]
pub struct NewerRow {
    pub id: Uuid,
    column: &'static str,
}

/// Parses the value of a column of the row `id`.
pub(super) fn parse<T: FromStr>(
    id: Uuid,
    column: &'static str,
    value: &str,
) -> Result<T, NewerRow> {
    value.parse().map_err(|_unknown| {
        if ERRORS.admits() {
            tracing::error!(%id, column, value, "a row has a value that only a newer version knows");
        }
        NewerRow { id, column }
    })
}

impl fmt::Display for NewerRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "only a newer version knows the value in the row {}", self.id)
    }
}

impl Error for NewerRow {}

/// Whether a newer version has written the row, whose gateways can read it.
pub(crate) fn is_newer_row(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::ColumnDecode { source, .. } if source.is::<NewerRow>())
}

impl From<NewerRow> for sqlx::Error {
    fn from(row: NewerRow) -> Self {
        Self::ColumnDecode { index: row.column.to_owned(), source: Box::new(row) }
    }
}
