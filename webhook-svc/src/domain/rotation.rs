//! The rotation of a signing secret: until the next secret replaces the current one, both sign (§6).

use time::OffsetDateTime;

/// The secrets that sign at `now`, of a current secret and the next one with the time from which it signs alone.
pub fn signing_secrets<T>(
    current: T,
    next: Option<(T, OffsetDateTime)>,
    now: OffsetDateTime,
) -> (T, Option<T>) {
    match next {
        Some((next, from)) if from <= now => (next, None),
        Some((next, _)) => (current, Some(next)),
        None => (current, None),
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::*;

    #[test]
    fn both_secrets_sign_until_the_next_one_replaces_the_current() {
        let from = OffsetDateTime::UNIX_EPOCH;
        let next = Some(("next", from));
        let before = from - Duration::NANOSECOND;
        assert_eq!(signing_secrets("current", next, before), ("current", Some("next")));
        assert_eq!(signing_secrets("current", next, from), ("next", None));
        assert_eq!(signing_secrets("current", None, from), ("current", None));
    }
}
