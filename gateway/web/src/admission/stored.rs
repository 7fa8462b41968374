//! Counts that PostgreSQL has for all replicas.

use kit::{Code, Fault};
use pages::{Language, Texts};
use sha2::{Digest as _, Sha256};
use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};

use super::limit::Count;
use crate::store::attempts;

/// The limit is reached; it is lifted after this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReached {
    pub retry_after: Duration,
}

impl LimitReached {
    /// The fault in a language. The text under `key`, such as `limit-attempts`, has the minutes
    /// that are left, rounded up.
    pub fn too_many_in(self, language: Language, key: &str) -> Fault {
        Fault {
            retry_after: Some(self.seconds()),
            ..Fault::new(Code::RateLimited, Texts::of(language).count(key, self.minutes().into()))
        }
    }

    pub fn seconds(self) -> u32 {
        u32::try_from(self.retry_after.whole_seconds().max(1)).unwrap_or(u32::MAX)
    }

    /// Rounded up.
    pub fn minutes(self) -> u32 {
        self.seconds().div_ceil(60)
    }
}

/// Counts a request for all of these limits, in their order.
///
/// Beyond one of them, it uses up none of those before it, and the later ones store nothing: what a
/// visitor typed comes last, so that each typed text does not add a row.
pub async fn count(
    connection: &mut PgConnection,
    counts: &[Count],
    now: OffsetDateTime,
) -> Result<Result<(), LimitReached>, Fault> {
    for (before, count) in counts.iter().enumerate() {
        let until = count.limit.end(now);
        let name = count.limit.name;
        let counted = attempts::count(&mut *connection, name, &hash(count), until).await?;
        if u32::try_from(counted).unwrap_or_default() > count.limit.most {
            give_back(&mut *connection, &counts[..before], now).await?;
            let retry_after = until - now.truncate_to_second();
            return Ok(Err(LimitReached { retry_after }));
        }
    }
    Ok(Ok(()))
}

/// [`count`], on a connection of the pool.
pub async fn count_in(
    pool: &PgPool,
    counts: &[Count],
    now: OffsetDateTime,
) -> Result<Result<(), LimitReached>, Fault> {
    count(&mut *pool.acquire().await?, counts, now).await
}

/// Gives back what was counted at this time.
pub async fn give_back(
    connection: &mut PgConnection,
    counts: &[Count],
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    for count in counts {
        let (name, until) = (count.limit.name, count.limit.end(at));
        attempts::give_back(&mut *connection, name, &hash(count), until).await?;
    }
    Ok(())
}

/// What is stored of a subject and an address: an address that somebody typed may be a password.
fn hash(Count { subject, address, .. }: &Count) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&Sha256::digest(format!("{subject} {address}"))[..16]);
    half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_attempt_says_when_to_try_again() {
        for (seconds, time) in [
            (1, "in 1 minute."),
            (60, "in 1 minute."),
            (61, "in 2 minutes."),
            (900, "in 15 minutes."),
        ] {
            let retry_after = Duration::seconds(seconds.into());
            let fault =
                LimitReached { retry_after }.too_many_in(Language::English, "limit-attempts");
            assert!(fault.message.ends_with(time), "{}", fault.message);
            assert_eq!(fault.retry_after, Some(seconds));
        }
    }
}
