//! Mails with links, and the forms of links.

use kit::Fault;
use kit::network::Network;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::limit::{Count, Limit};
use super::{Admission, LimitReached, stored};
use crate::client_info::ClientInfo;
use crate::domain::link::Purpose;
use crate::domain::subject::Subject;
use crate::hashing::Permit;
use crate::store::links::Link;

/// Mails with links that visitors of a network request, to sign up or to set a password. The use of
/// a link gives its mail back.
pub const MAILS_FROM: Limit = Limit::new("mails_from", 120, Duration::HOUR);
/// Mails with links that a network causes. Nothing gives them back, so that it makes few people in
/// an hour.
pub const ALL_MAILS_FROM: Limit = Limit::new("all_mails_from", 240, Duration::HOUR);
/// Mails with links that a signed-in person causes.
pub const MAILS_OF_PERSON: Limit = Limit::new("mails_of_person", 60, Duration::HOUR);
/// Mails with links of one purpose to one address.
///
/// A link to set a password lives as long as this window: when the limit is used up, the person has
/// a link that works.
pub const MAILS_TO: Limit = Limit::new("mails_to", 5, Duration::HOUR);
/// Those of them that one network or one person causes.
pub const MAILS_TO_BY: Limit = Limit::new("mails_to_by", 3, Duration::HOUR);
/// Those that a person gets whatever the network has caused before.
pub const MAILS_TO_PERSON: Limit = Limit::new("mails_to_person", 1, Duration::HOUR);
/// Forms of one link.
pub const FORMS_OF_LINK: Limit = Limit::new("forms_of_link", 20, Duration::minutes(15));

/// A mail with a link that a visitor requests.
#[derive(Debug)]
pub struct RequestedMail {
    /// Whether the network may cause a mail to anybody. Otherwise only people get one.
    pub network: Result<(), LimitReached>,
    /// The network whose limit counts the mail, and to which the use of the link gives it back.
    pub counted_from: Option<Network>,
    /// Whether the address may get one more. If not, earlier mails of this hour have links that
    /// work.
    pub is_due: bool,
}

impl Admission {
    /// Counts a mail that a visitor requests, to an address that may be that of `person`.
    pub async fn requested_mail(
        &self,
        client: &ClientInfo,
        purpose: Purpose,
        (address, person): (&str, Option<Uuid>),
        now: OffsetDateTime,
    ) -> Result<RequestedMail, Fault> {
        let network = client.network();
        let device = person.and_then(|person| client.devices.of(person));
        let limits = [MAILS_FROM, ALL_MAILS_FROM].into_iter().filter(|_| device.is_none());
        let from: Vec<Count> = limits.flat_map(|limit| limit.count_network(network)).collect();
        let mut connection = self.pool.acquire().await?;
        let network_counted = stored::count(&mut connection, &from, now).await?;
        let to = match (network_counted, device) {
            (Err(_), _) => to(purpose, address, [MAILS_TO_PERSON.count(Subject::Anyone)]),
            (Ok(()), Some(device)) => {
                let by = MAILS_TO_BY.count(Subject::Device(device));
                to(purpose, address, [by, MAILS_TO.count(Subject::Anyone)])
            }
            (Ok(()), None) => {
                let by = MAILS_TO_BY.count_network(network);
                to(purpose, address, by.chain([MAILS_TO.count(Subject::Anyone)]))
            }
        };
        let is_due = stored::count(&mut connection, &to, now).await?.is_ok();
        let counts = network_counted.is_ok() && device.is_none();
        let counted_from = counts.then_some(network);
        Ok(RequestedMail { network: network_counted, counted_from, is_due })
    }

    /// Counts a mail that a signed-in person causes.
    pub async fn mail_of_person(
        &self,
        client: &ClientInfo,
        person: Uuid,
        (purpose, address): (Purpose, &str),
        now: OffsetDateTime,
    ) -> Result<Result<(), LimitReached>, Fault> {
        let by = Subject::Person(person);
        let from = ALL_MAILS_FROM.count_network(client.network());
        let to = to(purpose, address, [MAILS_TO_BY.count(by), MAILS_TO.count(Subject::Anyone)]);
        let counts: Vec<Count> =
            std::iter::once(MAILS_OF_PERSON.count(by)).chain(from).chain(to).collect();
        stored::count_in(&self.pool, &counts, now).await
    }

    /// Gives back the mail of a link that was used, in the transaction of its use.
    pub async fn give_back_mail(
        connection: &mut PgConnection,
        link: &Link,
    ) -> Result<(), sqlx::Error> {
        let Some((network, at)) = link.requested else {
            return Ok(());
        };
        let counts: Vec<Count> = MAILS_FROM.count_network(network).collect();
        stored::give_back(connection, &counts, at).await
    }

    /// Admits the form of a link that sets a password.
    pub async fn link_form(
        &self,
        client: &ClientInfo,
        link: &Link,
        now: OffsetDateTime,
    ) -> Result<Result<Permit, LimitReached>, Fault> {
        let counts = [FORMS_OF_LINK.count(Subject::Link(link.id))];
        // Its token came by mail, so that it is not one of the guesses of strangers.
        self.hash(client, true, &counts, now).await
    }
}

/// Counts of mails to an address. Each purpose counts on its own, so that sign-ups use up none of
/// the mails that set a password.
fn to(purpose: Purpose, address: &str, counts: impl IntoIterator<Item = Count>) -> Vec<Count> {
    let address = format!("{} {address}", purpose.as_str());
    counts.into_iter().map(|count| count.of_address(&address)).collect()
}
