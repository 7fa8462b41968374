//! Limits on the keys that people create for their account, so that an account cannot fill the tables. Staff have no such limits.

use kit::{Code, Fault};
use time::{Duration, OffsetDateTime};

use super::key::Mode;

/// The most working test keys of an account.
pub const TEST_KEYS: i64 = 50;

/// The most keys and key requests that the people of an account create in 24 hours, rotations included.
pub const NEW_KEYS: i64 = 100;

/// The keys of an account before a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyCounts {
    /// Working test keys.
    pub test: i64,
    /// Keys and requests of the last 24 hours.
    pub new: i64,
    /// When the last of the newest [`NEW_KEYS`] of these was made. Once it is a day old, there is room for another.
    pub last_of_limit: Option<OffsetDateTime>,
}

/// Rejects a key that is one too many. A rotation does not add a working key: `mode` is then `None`.
pub fn check(mode: Option<Mode>, counts: KeyCounts, now: OffsetDateTime) -> Result<(), Fault> {
    if counts.new >= NEW_KEYS {
        let end = counts.last_of_limit.unwrap_or(now) + Duration::DAY;
        let wait = (end - now).whole_seconds() + 1;
        let minutes = wait.max(0).unsigned_abs().div_ceil(60);
        let (hours, minutes) = (minutes / 60, minutes % 60);
        let message = format!(
            "The account has created or requested {NEW_KEYS} keys in the last 24 hours. It can create another one in {hours} h {minutes} min."
        );
        return Err(Fault {
            retry_after: u32::try_from(wait).ok(),
            ..Fault::new(Code::RateLimited, message)
        });
    }
    if mode == Some(Mode::Test) && counts.test >= TEST_KEYS {
        let message =
            format!("The account already has {TEST_KEYS} working test keys. Revoke one first.");
        return Err(Fault::invalid_field("mode", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    #[test]
    fn the_numbers_of_test_keys_and_of_new_keys_are_limited() {
        let code = |mode, test, new| {
            let counts = KeyCounts { test, new, last_of_limit: None };
            check(mode, counts, NOW).err().map(|fault| fault.code)
        };
        assert_eq!(code(Some(Mode::Test), TEST_KEYS - 1, NEW_KEYS - 1), None);
        assert_eq!(code(Some(Mode::Test), TEST_KEYS, 0), Some(Code::Invalid));
        // The plan limits live keys, and a rotation replaces a key.
        assert_eq!(code(Some(Mode::Live), TEST_KEYS, 0), None);
        assert_eq!(code(None, TEST_KEYS, 0), None);
        for mode in [Some(Mode::Test), Some(Mode::Live), None] {
            assert_eq!(code(mode, 0, NEW_KEYS), Some(Code::RateLimited));
        }
    }

    #[test]
    fn retry_after_is_when_the_oldest_counted_key_is_a_day_old() {
        let counts =
            KeyCounts { test: 0, new: NEW_KEYS, last_of_limit: Some(NOW - Duration::hours(2)) };
        let fault = check(None, counts, NOW).unwrap_err();
        assert_eq!(fault.retry_after, Some(22 * 3_600 + 1));
        assert!(fault.message.ends_with("in 22 h 1 min."), "{fault:?}");
    }
}
