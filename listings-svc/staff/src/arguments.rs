//! Arguments that several commands take.

use std::num::NonZeroUsize;

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

use crate::command_hint;

/// Reads `--limit`, the number of rows that a list shows at most.
pub(crate) fn limit(text: &str) -> Result<NonZeroUsize, String> {
    let rows = text.parse().ok();
    rows.ok_or_else(|| "give a whole number, 1 or more".to_owned())
}

/// Reads a point in time.
pub(crate) fn timestamp(text: &str) -> Result<OffsetDateTime, String> {
    OffsetDateTime::parse(text, &Rfc3339)
        .ok()
        .and_then(|at| at.checked_to_offset(UtcOffset::UTC))
        .ok_or_else(|| "give a time such as 2026-03-01T08:00:00Z".to_owned())
}

/// Reads `--revision`.
pub(crate) fn revision_number(text: &str) -> Result<i64, String> {
    let revision = text.parse().ok().filter(|revision| *revision > 0);
    revision.ok_or_else(|| {
        format!(
            "give the number of a revision, 1 or more, as {} shows it (for a page or an event: `page show`, `event show`)",
            command_hint::staff("game show SLUG")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_below_one_is_refused_with_the_range() {
        assert_eq!(limit("1").map(NonZeroUsize::get), Ok(1));
        for bad in ["0", "-1", "1.5", "", "many"] {
            assert!(limit(bad).unwrap_err().contains("1 or more"), "{bad}");
        }
    }

    #[test]
    fn a_time_is_read_with_its_offset() {
        let at = timestamp("2026-03-01T09:00:00+01:00").unwrap();
        assert_eq!(at, timestamp("2026-03-01T08:00:00Z").unwrap());
        assert!(timestamp("2026-03-01").unwrap_err().contains("08:00:00Z"));
    }
}
