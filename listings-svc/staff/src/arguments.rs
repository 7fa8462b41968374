//! Arguments that several commands take.

use std::num::NonZeroUsize;

use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};
use uuid::Uuid;

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

pub(crate) fn key_id(text: &str) -> Result<String, String> {
    id(text, "a key", "key list --account ACCOUNT")
}

pub(crate) fn key_request_id(text: &str) -> Result<String, String> {
    id(text, "a pending request", "key pending")
}

pub(crate) fn claim_id(text: &str) -> Result<String, String> {
    id(text, "a pending claim", "claim list")
}

/// Reads the number of an economy report.
pub(crate) fn report_number(text: &str) -> Result<i64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        format!(
            "this is not the number of a held report, which is a whole number; {} lists the numbers",
            command_hint::staff("report list")
        )
    })
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

/// Reads an id of `noun`; `list` is the command that lists it.
fn id(text: &str, noun: &str, list: &str) -> Result<String, String> {
    match Uuid::parse_str(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(format!(
            "this is not the id of {noun}, which looks like 019a6f1c-0000-7000-8000-000000000000; {} lists the ids",
            command_hint::staff(list)
        )),
    }
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
