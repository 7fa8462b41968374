//! Limits on tries per time window. PostgreSQL counts the tries for all replicas.

use kit::{Code, Fault};
use pages::{Language, Texts};
use sha2::{Digest as _, Sha256};
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgExecutor, PgPool, Postgres};
use time::{Duration, OffsetDateTime};

use crate::domain::email;
use crate::domain::link::Purpose;
use crate::hashing::{PasswordPool, Permit};
use crate::store::{activity, tries};

/// The most tries per window.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    pub name: &'static str,
    pub tries: i32,
    pub window: Duration,
}

/// In minutes.
const DAY: i64 = 24 * 60;

/// Wrong passwords of one person from one address.
pub const SIGN_IN: Limit = Limit::new("sign_in", 10, 15);
/// Wrong passwords of one person from anywhere. Beyond it, the person signs in from a network where the person was signed in before, or by a
/// link to set a new password.
pub const SIGN_IN_OF_PERSON: Limit = Limit::new("sign_in_of_person", 100, 15);
/// Wrong passwords of any person from one address.
pub const SIGN_IN_FROM: Limit = Limit::new("sign_in_from", 60, 15);
/// Forms of one link of a mail. Most of them cost a hash of a password.
pub const LINK: Limit = Limit::new("link", 20, 15);
/// Forms of any link from one network.
pub const LINKS_FROM: Limit = Limit::new("links_from", 60, 15);
/// One-time codes of one person at sign-in.
pub const CODES: Limit = Limit::new("codes", 10, 15);
/// Wrong codes of one person. The twentieth, which is over the limit, causes a mail.
pub const WRONG_CODES: Limit = Limit::new("wrong_codes", 19, DAY);
/// Mails about wrong codes to one person.
pub const CODE_MAILS: Limit = Limit::new("code_mails", 1, DAY);
/// Mails about sign-ins from new networks to one person.
pub const NETWORK_MAILS: Limit = Limit::new("network_mails", 5, DAY);
/// Passwords that one session confirms.
pub const CONFIRMATIONS: Limit = Limit::new("confirmations", 10, 15);
/// Passwords that all sessions of one person confirm: a session gets another token when its person ends the others.
pub const CONFIRMATIONS_OF_PERSON: Limit = Limit::new("confirmations_of_person", 30, 15);
/// Mails with links of one purpose to one address.
///
/// A link to set a password lives as long as this window: when the limit is used up, the person has a link that works.
pub const MAILS_TO: Limit = Limit::new("mails_to", 5, 60);
/// Those of them that one network causes.
pub const MAILS_TO_FROM: Limit = Limit::new("mails_to_from", 3, 60);
/// Mails with links of one purpose that one network causes.
pub const MAILS_FROM: Limit = Limit::new("mails_from", 60, 60);
/// Forms that one person sends.
pub const FORMS: Limit = Limit::new("forms", 600, 15);

impl Limit {
    const fn new(name: &'static str, tries: i32, minutes: i64) -> Self {
        Self { name, tries, window: Duration::minutes(minutes) }
    }

    /// The end of the window in which a time lies.
    fn end(self, now: OffsetDateTime) -> OffsetDateTime {
        let length = self.window.whole_seconds();
        let left = length - now.unix_timestamp().rem_euclid(length);
        now.truncate_to_second() + Duration::seconds(left)
    }
}

fn hash(subject: &str) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&Sha256::digest(subject)[..16]);
    half
}

/// The limit is reached; it is lifted after this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReached {
    pub retry_after: Duration,
}

impl LimitReached {
    /// The fault in a language. The text under `key`, such as `limit-tries`, has the minutes that are left, rounded up.
    pub fn too_many_in(self, language: Language, key: &str) -> Fault {
        let minutes = self.seconds().div_ceil(60);
        Fault {
            retry_after: Some(self.seconds()),
            ..Fault::new(Code::RateLimited, Texts::of(language).count(key, minutes.into()))
        }
    }

    pub fn seconds(self) -> u32 {
        u32::try_from(self.retry_after.whole_seconds().max(1)).unwrap_or(u32::MAX)
    }
}

/// Counts tries.
#[derive(Clone)]
pub struct Limits(pub PgPool);

impl Limits {
    /// Counts a try. Call this before the try and outside of its transaction, so that tries at the same time and tries that fail are counted
    /// too. `subject` may be any text, since only its hash is stored.
    pub async fn count(
        &self,
        limit: Limit,
        subject: &str,
        now: OffsetDateTime,
    ) -> Result<Result<(), LimitReached>, Fault> {
        count(&self.0, limit, subject, now).await
    }

    /// Acquires a permit to hash a password, and then counts the try, for each of these limits and its subject.
    ///
    /// A try that the full pool of hashes refuses is not counted. If a limit is reached, the try does not count for the others. A subject
    /// that a visitor types comes after the visitor's network: otherwise each typed text would add a row, also beyond the network's limit.
    ///
    /// Do not wait for other services between this and the hash, since they would delay everybody who needs a permit.
    pub async fn admit_hash(
        &self,
        passwords: &PasswordPool,
        tries: &[(Limit, &str)],
        now: OffsetDateTime,
    ) -> Result<Result<Permit, LimitReached>, Fault> {
        let (mut connection, permit) = self.acquire(passwords).await?;
        let counted = count_all(&mut connection, tries, now).await?;
        Ok(counted.map(|()| permit))
    }

    /// [`Self::admit_hash`] for a sign-in.
    pub async fn admit_sign_in(
        &self,
        passwords: &PasswordPool,
        sign_in: &SignInTry,
        now: OffsetDateTime,
    ) -> Result<Result<Permit, LimitReached>, Fault> {
        let (mut connection, permit) = self.acquire(passwords).await?;
        let [from, here, anywhere] = sign_in.tries();
        if let Err(reached) = count_all(&mut connection, &[from, here], now).await? {
            return Ok(Err(reached));
        }
        let (limit, subject) = anywhere;
        if let Err(reached) = count(&mut *connection, limit, subject, now).await? {
            // Others may have used this limit up. They must not keep the person out where the person was signed in before.
            let (address, network) = (&sign_in.address, &sign_in.network);
            if !activity::has_been_in(&mut *connection, address, network).await? {
                return Ok(Err(reached));
            }
        }
        Ok(Ok(permit))
    }

    /// Takes back a try of a sign-in whose password was right.
    pub async fn take_back_sign_in(
        &self,
        sign_in: &SignInTry,
        now: OffsetDateTime,
    ) -> Result<(), Fault> {
        for (limit, subject) in sign_in.tries() {
            take_back(&self.0, limit, subject, now).await?;
        }
        Ok(())
    }

    /// Counts a mail with a link: first of the network that asks for it, then to its address.
    pub async fn count_mail(
        &self,
        purpose: Purpose,
        address: &str,
        network: &str,
        now: OffsetDateTime,
    ) -> Result<Result<(), LimitReached>, Fault> {
        match self.count_mail_from(purpose, network, now).await? {
            Ok(()) => self.count_mail_to(purpose, address, network, now).await,
            Err(reached) => Ok(Err(reached)),
        }
    }

    /// Counts a mail with a link that a network asks for.
    pub async fn count_mail_from(
        &self,
        purpose: Purpose,
        network: &str,
        now: OffsetDateTime,
    ) -> Result<Result<(), LimitReached>, Fault> {
        let subject = format!("{} {network}", purpose.as_str());
        self.count(MAILS_FROM, &subject, now).await
    }

    /// Counts a mail with a link to an address. Each purpose counts on its own, so that mails whose link sets no password use up none of those
    /// whose link does.
    pub async fn count_mail_to(
        &self,
        purpose: Purpose,
        address: &str,
        network: &str,
        now: OffsetDateTime,
    ) -> Result<Result<(), LimitReached>, Fault> {
        let to = format!("{} {address}", purpose.as_str());
        let from_here = format!("{to} {network}");
        let mut connection = self.0.acquire().await?;
        let tries = [(MAILS_TO_FROM, from_here.as_str()), (MAILS_TO, &to)];
        count_all(&mut connection, &tries, now).await
    }

    /// Acquires a connection, and then a permit: a try that waits for a connection has no permit, so a flood of tries beyond their limits
    /// holds at most as many permits as there are connections, and others can still sign in.
    async fn acquire(
        &self,
        passwords: &PasswordPool,
    ) -> Result<(PoolConnection<Postgres>, Permit), Fault> {
        let connection = self.0.acquire().await?;
        Ok((connection, passwords.try_acquire()?))
    }
}

/// A try of a password at sign-in.
#[derive(Debug)]
pub struct SignInTry {
    /// Empty if no address was typed: such a try takes the steps of one of an unknown person, and so the same time.
    pub address: String,
    network: String,
    /// What was typed, at the network and anywhere.
    here: String,
    anywhere: String,
}

impl SignInTry {
    pub fn new(typed: &str, network: String) -> Self {
        let address = email::parse(typed);
        // What is no address counts for itself.
        let anywhere = address.clone().unwrap_or_else(|_| typed.to_owned());
        Self {
            address: address.unwrap_or_default(),
            here: format!("{anywhere} {network}"),
            network,
            anywhere,
        }
    }

    /// The limits of the network, of the person at the network, and of the person.
    fn tries(&self) -> [(Limit, &str); 3] {
        [(SIGN_IN_FROM, &self.network), (SIGN_IN, &self.here), (SIGN_IN_OF_PERSON, &self.anywhere)]
    }
}

/// Counts a try for each of these limits. If one is reached, the try is taken back from those before it.
async fn count_all(
    connection: &mut PgConnection,
    tries: &[(Limit, &str)],
    now: OffsetDateTime,
) -> Result<Result<(), LimitReached>, Fault> {
    for (before, &(limit, subject)) in tries.iter().enumerate() {
        let Err(reached) = count(&mut *connection, limit, subject, now).await? else {
            continue;
        };
        for &(limit, subject) in &tries[..before] {
            take_back(&mut *connection, limit, subject, now).await?;
        }
        return Ok(Err(reached));
    }
    Ok(Ok(()))
}

/// Takes back a try that was counted at this time.
async fn take_back(
    executor: impl PgExecutor<'_>,
    limit: Limit,
    subject: &str,
    now: OffsetDateTime,
) -> Result<(), Fault> {
    let until = limit.end(now);
    Ok(tries::take_back(executor, limit.name, &hash(subject), until).await?)
}

async fn count(
    executor: impl PgExecutor<'_>,
    limit: Limit,
    subject: &str,
    now: OffsetDateTime,
) -> Result<Result<(), LimitReached>, Fault> {
    let until = limit.end(now);
    let tries = tries::count(executor, limit.name, &hash(subject), until).await?;
    if tries <= limit.tries {
        return Ok(Ok(()));
    }
    let retry_after = until - now.truncate_to_second();
    Ok(Err(LimitReached { retry_after }))
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
            let fault = LimitReached { retry_after }.too_many_in(Language::English, "limit-tries");
            assert!(fault.message.ends_with(time), "{}", fault.message);
            assert_eq!(fault.retry_after, Some(seconds));
        }
    }
}
