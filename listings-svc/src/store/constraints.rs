//! Maps violated constraints to field errors, for what only the database can know.
//!
//! That is what others have written since the domain read it. The domain checks every other limit first, with a better message; the schema repeats these
//! limits, so that our own errors cannot store invalid data.

use crate::domain::entity::Entity;
use crate::domain::field_reader::Problems;
use crate::domain::fields::key_field;

/// The field and the reason of an error about a listing of this kind; `None` when the error is not about a value.
pub fn field_errors(error: &sqlx::Error, entity: Entity) -> Option<Problems> {
    let error = error.as_database_error()?;
    let problem = match error.constraint() {
        Some("listing_name_taken") => {
            Some((key_field(entity), "Another listing has just taken it: choose another."))
        }
        Some("listing_page") => Some(("creator", "There is no such creator.")),
        _ => None,
    };
    if let Some((field, reason)) = problem {
        return Some([(field.to_owned(), reason.to_owned())].into());
    }
    // Classes 22 (data exception) and 23 (integrity constraint violation): the domain should have refused the value.
    let code = error.code()?;
    (code.starts_with("22") || code.starts_with("23")).then(|| {
        tracing::warn!(%error, "the database refused a row that the domain accepted");
        [(
            "row".to_owned(),
            "The database refuses this row; the log of listings-svc has the reason.".to_owned(),
        )]
        .into()
    })
}
