//! Attempts of passwords and of codes.
//!
//! Those in a browser in which the person was signed in count for that browser alone. All others
//! count for their network and for the person, so that guesses from everywhere together stay few.

use kit::Fault;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::limit::{Count, Limit};
use super::{Admission, LimitReached, stored};
use crate::client_info::ClientInfo;
use crate::domain::session_token::TokenHash;
use crate::domain::subject::Subject;
use crate::hashing::{Checked, Permit};

const QUARTER: Duration = Duration::minutes(15);

/// Wrong passwords of a person in a browser in which the person was signed in.
pub const SIGN_IN_OF_DEVICE: Limit = Limit::new("sign_in_of_device", 10, QUARTER);
/// Wrong passwords of all people from one network.
pub const SIGN_IN_FROM: Limit = Limit::new("sign_in_from", 60, QUARTER);
/// Wrong passwords of one person from one network.
pub const SIGN_IN: Limit = Limit::new("sign_in", 10, QUARTER);
/// Wrong passwords of one person from all networks.
pub const SIGN_IN_OF_PERSON: Limit = Limit::new("sign_in_of_person", 100, QUARTER);
/// One-time codes of a person at sign-in.
pub const CODES: Limit = Limit::new("codes", 10, QUARTER);
/// Wrong codes of a person in a day. One more causes a mail.
const WRONG_CODES: Limit = Limit::new("wrong_codes", 19, Duration::DAY);
/// Mails about wrong codes to a person.
const CODE_MAILS: Limit = Limit::new("code_mails", 1, Duration::DAY);
/// Mails about sign-ins in new browsers to a person.
const BROWSER_MAILS: Limit = Limit::new("browser_mails", 5, Duration::DAY);
/// Passwords that a session confirms.
pub const CONFIRMATIONS: Limit = Limit::new("confirmations", 10, QUARTER);
/// Passwords that all sessions of a person confirm: a session gets another token when its person
/// ends the others.
pub const CONFIRMATIONS_OF_PERSON: Limit = Limit::new("confirmations_of_person", 30, QUARTER);

/// An attempt to sign in with a password.
pub struct SignIn<'a> {
    admission: &'a Admission,
    permit: Permit,
    /// What was counted; `None`: a limit was reached.
    counts: Option<Vec<Count>>,
    at: OffsetDateTime,
}

impl Admission {
    /// Admits an attempt to sign in with what was typed as the email address, which may be that of
    /// `person`.
    ///
    /// # Errors
    /// Too many passwords are hashed, for this site or for all.
    pub async fn sign_in(
        &self,
        client: &ClientInfo,
        typed: &str,
        person: Option<Uuid>,
        now: OffsetDateTime,
    ) -> Result<SignIn<'_>, Fault> {
        let network = client.network();
        let device = person.and_then(|person| client.devices.of(person));
        let counts = if let Some(device) = device {
            vec![SIGN_IN_OF_DEVICE.count(Subject::Device(device))]
        } else {
            let of_person = SIGN_IN.count_network(network);
            let of_person = of_person.chain([SIGN_IN_OF_PERSON.count(Subject::Anyone)]);
            let of_person = of_person.map(|count| count.of_address(typed));
            SIGN_IN_FROM.count_network(network).chain(of_person).collect()
        };
        // A connection first: an attempt that waits for one holds no permit.
        let mut connection = self.pool.acquire().await?;
        let permit = self.passwords.try_acquire(network.site(), device.is_some())?;
        let counted = stored::count(&mut connection, &counts, now).await?;
        let counts = counted.is_ok().then_some(counts);
        Ok(SignIn { admission: self, permit, counts, at: now })
    }

    /// Counts a one-time code at sign-in.
    pub async fn code(
        &self,
        client: &ClientInfo,
        person: Uuid,
        now: OffsetDateTime,
    ) -> Result<Result<(), LimitReached>, Fault> {
        let count = CODES.count(device_or_person(client, person));
        stored::count_in(&self.pool, &[count], now).await
    }

    /// Counts a wrong code. True if the person should get a mail about wrong codes.
    pub async fn wrong_code(&self, person: Uuid, now: OffsetDateTime) -> Result<bool, Fault> {
        let counts = |limit: Limit| [limit.count(Subject::Person(person))];
        let counted = stored::count_in(&self.pool, &counts(WRONG_CODES), now).await?;
        Ok(counted.is_err()
            && stored::count_in(&self.pool, &counts(CODE_MAILS), now).await?.is_ok())
    }

    /// Counts a mail about a sign-in in a new browser.
    pub async fn browser_mail(&self, person: Uuid, now: OffsetDateTime) -> Result<bool, Fault> {
        let count = BROWSER_MAILS.count(Subject::Person(person));
        Ok(stored::count_in(&self.pool, &[count], now).await?.is_ok())
    }

    /// Admits the password with which a signed-in person confirms a change.
    pub async fn confirmation(
        &self,
        client: &ClientInfo,
        (person, session): (Uuid, TokenHash),
        now: OffsetDateTime,
    ) -> Result<Result<Permit, LimitReached>, Fault> {
        let of_person = device_or_person(client, person);
        let counts = [
            CONFIRMATIONS.count(Subject::Session(session)),
            CONFIRMATIONS_OF_PERSON.count(of_person),
        ];
        self.hash(client, true, &counts, now).await
    }

    /// A permit to hash a password of somebody who has typed the right one.
    pub fn rehash(&self, client: &ClientInfo) -> Result<Permit, Fault> {
        self.passwords.try_acquire(client.network().site(), true)
    }

    /// Admits a hash, and then counts it: the full pool uses up no limit.
    ///
    /// Do not wait for other services between this and the hash, since they would delay everybody
    /// who needs a permit.
    pub(super) async fn hash(
        &self,
        client: &ClientInfo,
        is_known: bool,
        counts: &[Count],
        now: OffsetDateTime,
    ) -> Result<Result<Permit, LimitReached>, Fault> {
        let mut connection = self.pool.acquire().await?;
        let permit = self.passwords.try_acquire(client.network().site(), is_known)?;
        let counted = stored::count(&mut connection, counts, now).await?;
        Ok(counted.map(|()| permit))
    }
}

fn device_or_person(client: &ClientInfo, person: Uuid) -> Subject {
    client.devices.of(person).map_or(Subject::Person(person), Subject::Device)
}

impl SignIn<'_> {
    /// Checks the password. Beyond a limit it is wrong, after the same work, so that the answer
    /// tells nothing about the person. A right password gives back what was counted.
    pub async fn check(self, password: &str, stored: Option<&str>) -> Result<Checked, Fault> {
        let checked = self.permit.check(password, stored).await?;
        match self.counts {
            Some(counts) if checked.is_right => {
                let mut connection = self.admission.pool.acquire().await?;
                stored::give_back(&mut connection, &counts, self.at).await?;
                Ok(checked)
            }
            _ => Ok(Checked { is_right: false, ..checked }),
        }
    }
}
