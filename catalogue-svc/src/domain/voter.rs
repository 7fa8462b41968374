//! Voters (§2.5).

use kit::network::Network;
use time::{Duration, OffsetDateTime};
use uuid::{Timestamp, Uuid};

/// The age below which an account counts in its network.
const NEW_ACCOUNT: Duration = Duration::days(30);

/// A voter: an account or a cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voter {
    /// The id of the account or of the cookie.
    pub id: Uuid,
    /// From where the voter votes.
    pub network: Network,
    /// Whether limits and voids of the network are of the voter's votes too, and the voter draws
    /// from a bucket of the network: that of a cookie or of a new account, which anybody makes in
    /// any number.
    pub counts_in_network: bool,
    /// All accounts of the person who votes, who may not judge their listings.
    pub accounts: Vec<Uuid>,
}

impl Voter {
    pub fn cookie(id: Uuid, network: Network) -> Self {
        Self { id, network, counts_in_network: true, accounts: Vec::new() }
    }

    /// An account, and the other accounts of the person.
    pub fn account(id: Uuid, others: Vec<Uuid>, network: Network, now: OffsetDateTime) -> Self {
        let mut accounts = others;
        accounts.push(id);
        Self { id, network, counts_in_network: is_new(id, now), accounts }
    }
}

/// Whether an account was created less than [`NEW_ACCOUNT`] ago.
///
/// The id of an account that somebody signs up for is a version 7 UUID of [`kit::ids::row_id`],
/// which contains the time. Any other id does not say how old the account is, so the account counts
/// as new.
fn is_new(account: Uuid, now: OffsetDateTime) -> bool {
    let created_at = Some(account).filter(|id| id.get_version_num() == 7);
    let seconds = created_at.and_then(|id| id.get_timestamp()).map(|at| Timestamp::to_unix(&at).0);
    seconds.is_none_or(|seconds| {
        now.unix_timestamp().saturating_sub_unsigned(seconds) < NEW_ACCOUNT.whole_seconds()
    })
}

/// The voters that staff void or restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voters {
    Voter(Uuid),
    /// Those who count in a network.
    Network(Network),
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;
    use uuid::{NoContext, uuid};

    use super::*;

    #[test]
    fn an_account_counts_in_its_network_for_thirty_days() {
        let now = datetime!(2026-03-31 12:00 UTC);
        let network = "192.0.2.1".parse().unwrap();
        let counts = |id| Voter::account(id, Vec::new(), network, now).counts_in_network;
        let created = |at: OffsetDateTime| {
            let seconds = u64::try_from(at.unix_timestamp()).unwrap();
            Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 0))
        };
        assert!(!counts(created(datetime!(2026-03-01 12:00 UTC))));
        assert!(counts(created(datetime!(2026-03-01 12:00:01 UTC))));
        // Ids without a time, or with one that is not that of the creation.
        for id in [
            Uuid::nil(),
            Uuid::max(),
            uuid!("f9168c5e-ceb2-5faa-b6bf-329bf39fa1e4"),
            uuid!("1d19dad6-ba7b-11d0-9f00-00c04fd430c8"),
        ] {
            assert!(counts(id), "{id}");
        }
        assert!(Voter::cookie(created(now - Duration::days(90)), network).counts_in_network);
    }

    #[test]
    fn a_voter_judges_no_listing_of_any_of_the_persons_accounts() {
        let [id, other] = [1, 2].map(Uuid::from_u128);
        let network = "192.0.2.1".parse().unwrap();
        let voter = Voter::account(id, vec![other], network, OffsetDateTime::UNIX_EPOCH);
        assert_eq!(voter.accounts, [other, id]);
    }
}
