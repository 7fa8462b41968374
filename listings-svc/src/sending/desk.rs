//! What a batch of decisions is made on, and what they come to.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kit::Fault;
use kit::feed::{Applied, NewChange};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Outcome;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::known::Known;
use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::domain::record::Record;
use crate::domain::slug;
use crate::feed::PublicUrl;
use crate::store::accounts::Writes;
use crate::store::idempotency::{Kept, Name};
use crate::store::owners::Owned;

/// All that the decisions need, as it is now; each decision changes it for the next.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) now: OffsetDateTime,
    pub(super) addresses: PublicUrl,
    pub(super) most_waiting: i64,
    pub(super) known: Arc<Known>,
    /// Whether it is about samples, which are everybody's.
    pub(super) samples: bool,
    /// Those that may write now; another one's row is locked elsewhere.
    pub(super) accounts: HashMap<Uuid, Account>,
    /// Pages of these accounts.
    pub(super) pages: Vec<Owned>,
    /// Owners of pages that are new.
    pub(super) new_owners: Vec<(Uuid, Uuid)>,
    /// Pages that are to be changed, and new ones.
    pub(super) sheets: Shelf<Page>,
    pub(super) games: Shelf<Game>,
    pub(super) events: Shelf<Event>,
    /// Answers that were given before, and those of this batch.
    pub(super) kept: HashMap<Name, Kept>,
    /// Those of this batch.
    pub(super) to_keep: Vec<Name>,
}

/// An account, as far as its limits go.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) writes: Writes,
    /// Whether it wrote in this batch.
    pub(super) wrote: bool,
    /// How much of it waits for a review.
    pub(super) waiting: i64,
}

/// Listings of one kind.
#[derive(Debug)]
pub(super) struct Shelf<C> {
    /// By slug, those that are there.
    pub(super) held: HashMap<String, Arc<Listing<C>>>,
    /// Those that somebody else has locked.
    pub(super) elsewhere: HashSet<String>,
    /// Slugs that are taken, of those that were looked for.
    pub(super) taken: HashSet<String>,
    pub(super) changes: Vec<Change<C>>,
}

impl<C> Default for Shelf<C> {
    fn default() -> Self {
        Self {
            held: HashMap::new(),
            elsewhere: HashSet::new(),
            taken: HashSet::new(),
            changes: Vec::new(),
        }
    }
}

/// What a decision makes of a listing.
#[derive(Debug)]
pub(super) struct Change<C> {
    pub(super) account: Uuid,
    pub(super) before: Option<Arc<Listing<C>>>,
    pub(super) after: Arc<Listing<C>>,
}

/// What came of one that was sent.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Its rows are locked elsewhere.
    Busy,
    Refused(Fault),
    /// Accepted; without a change when nothing differs, or when it came before.
    Accepted(Box<Outcome>, Option<NewChange>),
}

impl Verdict {
    pub(super) fn applied(self) -> Applied<Box<Outcome>> {
        match self {
            Self::Busy => Applied::Busy,
            Self::Refused(fault) => Applied::Refused(fault),
            Self::Accepted(outcome, change) => Applied::Done(outcome, change.into_iter().collect()),
        }
    }
}

impl From<Fault> for Verdict {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault)
    }
}

impl Desk {
    /// Pages of an account that games may stand under: in any state but rejected (§4.3).
    fn own(&self, account: Uuid) -> impl Iterator<Item = &Owned> {
        let own = self.pages.iter();
        own.filter(move |page| page.account == account && !page.rejected)
    }

    /// The page of an account with this handle.
    pub(super) fn page_called(&self, account: Uuid, handle: &str) -> Option<&Owned> {
        self.own(account).find(|page| page.handle == handle)
    }

    /// The page of an account with this id.
    pub(super) fn page(&self, account: Uuid, id: Uuid) -> Option<&Owned> {
        self.own(account).find(|page| page.id == id)
    }

    /// Whether a page is an account's, rejected or not.
    pub(super) fn owns(&self, account: Uuid, id: Uuid) -> bool {
        let mut pages = self.pages.iter();
        pages.any(|page| page.account == account && page.id == id)
    }
}

impl<C> Shelf<C>
where
    Listing<C>: Record,
{
    /// The first free slug with this base, which is taken by that.
    pub(super) fn take_slug(&mut self, base: &str) -> String {
        let mut n = 1;
        loop {
            let slug = slug::numbered(base, n);
            if self.taken.insert(slug.clone()) {
                return slug;
            }
            n += 1;
        }
    }

    /// Notes what a decision makes of a listing.
    pub(super) fn change(&mut self, account: Uuid, after: &Arc<Listing<C>>) {
        let after = Arc::clone(after);
        let before = (self.held).insert(after.key().to_owned(), Arc::clone(&after));
        self.changes.push(Change {
            account,
            before,
            after,
        });
    }
}
