//! Enums of the domain in columns of the type `text`. A newer version of the service may have written a value that this version does not know.

use std::str::FromStr;

use kit::throttle::Throttle;
use uuid::Uuid;

/// Errors about unknown values: any call with such a key causes one.
static ERRORS: Throttle = Throttle::new();

/// A row with an unknown value. A list leaves it out; a statement about the row alone fails, so that nobody overwrites the value.
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

impl From<NewerRow> for sqlx::Error {
    fn from(row: NewerRow) -> Self {
        let source = format!("only a newer version knows the value in the row {}", row.id);
        Self::ColumnDecode {
            index: row.column.to_owned(),
            source: source.into(),
        }
    }
}
