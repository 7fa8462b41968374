//! Loads what the decision on a submission needs. Rows are locked in the order account, pages, listing, names of a kind.

use std::collections::{BTreeSet, HashMap};

use kit::{Fault, ids};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Submission, Target, representation};
use crate::domain::entity::Entity;
use crate::domain::fields;
use crate::domain::game;
use crate::domain::listing::{Content, Listing};
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;
use crate::domain::reference_data::ReferenceData;
use crate::domain::slug;
use crate::domain::state::{ListingState, OwnAction};
use crate::feed::PublicUrl;
use crate::store::page_owners::{self, OwnedPage, PageRef};
use crate::store::{accounts, imports, listings, reference_data};
use crate::write::absent::no_own_listing;

/// What the decision on a submission needs.
#[derive(Debug, Clone)]
pub(super) struct Loaded {
    pub(super) now: OffsetDateTime,
    /// The id of a new listing.
    pub(super) new_id: Uuid,
    /// The listing that changes; `None` for a new one.
    pub(super) before: Option<Listing>,
    /// The page of a game that changes.
    pub(super) page: Option<OwnedPage>,
    /// The page of the account that the body names as the `creator` of a game.
    pub(super) named_page: Option<OwnedPage>,
    /// The content that the body gives the listing. For a change of pictures, the content before.
    pub(super) content: Content,
    /// Whether another page has the handle of a new page.
    pub(super) is_handle_taken: bool,
    /// Writes of the account on this day; this one is counted if its target [always counts](super::Target::always_counts).
    pub(super) writes_today: i32,
    /// Pending submissions of the account for which the submission counts. The row of another account than the author's is not locked: a
    /// submission of that account may hold it and wait for this listing. What both submit in the same instant may exceed the limit.
    pub(super) pending: i64,
    /// Pages of the account that the public never saw.
    pub(super) unpublished_pages: i64,
}

/// Loads for a live submission: nobody changes what it reads until the transaction ends, and the account's limits are exact.
///
/// `None` if the game has moved to a page that is not locked. A page is locked before its games, so
/// that the caller rolls back and begins again.
///
/// # Errors
/// The account has no such listing, or the body is invalid.
pub(super) async fn lock(
    connection: &mut PgConnection,
    submission: &Submission,
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Option<Loaded>, Fault> {
    let (account, writes) = (submission.author.account, submission.counted_writes());
    // Locks and counts in one round trip; a refusal rolls the count back.
    let writes_today = accounts::lock(connection, account, now.date(), writes).await?;
    let locks = true;
    let loader = Loader { connection, submission, public_url, locks };
    loader.load(writes_today, now).await
}

/// Loads for a submission that writes nothing: no row is locked.
///
/// # Errors
/// Those of [`lock`].
pub(super) async fn read(
    connection: &mut PgConnection,
    submission: &Submission,
    public_url: &PublicUrl,
    now: OffsetDateTime,
) -> Result<Option<Loaded>, Fault> {
    let account = submission.author.account;
    let written = if submission.is_about_samples() {
        0
    } else {
        accounts::writes_on(&mut *connection, account, now.date()).await?
    };
    let locks = false;
    let loader = Loader { connection, submission, public_url, locks };
    let writes_today = written.saturating_add(submission.counted_writes());
    loader.load(writes_today, now).await
}

/// The content that the body of a submission gives its listing. A change of pictures has no body, and the content stays.
pub(super) fn read_content(
    submission: &Submission,
    before: Option<&Listing>,
    page: Option<&OwnedPage>,
    reference: &ReferenceData,
    public_url: &PublicUrl,
) -> Result<Content, Fault> {
    if let (Some(before), Target::Pictures(..)) = (before, &submission.target) {
        return Ok(before.content.clone());
    }
    let current = before.map(|before| {
        let representation = representation::read_only_fields(before, page, public_url);
        (before, representation)
    });
    let (entity, body) = (submission.target.entity(), &submission.body);
    fields::read_body(entity, body, reference, current).map_err(Fault::invalid)
}

struct Loader<'a> {
    connection: &'a mut PgConnection,
    submission: &'a Submission,
    public_url: &'a PublicUrl,
    locks: bool,
}

impl Loader<'_> {
    /// `None` if the game has moved to a page that is not locked.
    async fn load(
        mut self,
        writes_today: i32,
        now: OffsetDateTime,
    ) -> Result<Option<Loaded>, Fault> {
        let submission = self.submission;
        let (author, entity) = (submission.author.account, submission.target.entity());
        let creator = game::creator(&submission.body)
            .filter(|handle| entity == Entity::Game && slug::is_valid(handle));
        let (before, page) = if let Some(name) = submission.target.name() {
            let name = ListingName { entity, mode: submission.author.mode, key: name.to_owned() };
            let Some((listing, page)) = self.own(&name, creator).await? else {
                return Ok(None);
            };
            (Some(listing), page)
        } else {
            self.share_pages(None, creator).await?;
            (None, None)
        };
        let named_page = match creator {
            Some(handle) => self.page(PageRef::Handle(handle)).await?,
            None => None,
        };
        let reference = self.reference_data(before.as_ref(), now).await?;
        // An invalid body is refused before the names of a kind are locked and anything is counted.
        let content =
            read_content(submission, before.as_ref(), page.as_ref(), &reference, self.public_url)?;
        let new_page = content.page().filter(|_| before.is_none());
        let is_handle_taken = match new_page {
            Some(page) => self.is_handle_taken(&page.handle).await?,
            None => false,
        };
        let submitter = match &before {
            None => Some(author),
            // A change submits it again.
            Some(listing) if listing.state == ListingState::Rejected => {
                Some(listing.submitter.unwrap_or(author))
            }
            Some(_) => None,
        };
        let pending = match submitter.filter(|_| !submission.is_about_samples()) {
            Some(account) => accounts::count_pending(self.connection, account).await?,
            None => 0,
        };
        let unpublished_pages = if new_page.is_some() {
            accounts::count_unpublished_pages(self.connection, author).await?
        } else {
            0
        };
        Ok(Some(Loaded {
            now,
            new_id: ids::row_id(),
            before,
            page,
            named_page,
            content,
            is_handle_taken,
            writes_today,
            pending,
            unpublished_pages,
        }))
    }

    /// A listing that the account may change, and the page of a game; `None` if that page is not
    /// locked.
    async fn own(
        &mut self,
        name: &ListingName,
        creator: Option<&str>,
    ) -> Result<Option<(Listing, Option<OwnedPage>)>, Fault> {
        let not_found = || no_own_listing(name.entity);
        let shared = self.share_pages(Some(name), creator).await?;
        let found = if self.locks {
            listings::lock(self.connection, name).await?
        } else {
            listings::find(&mut *self.connection, name).await?
        };
        // For accounts, a listing that was taken down does not exist until staff restore it.
        let found = found.filter(|listing| OwnAction::Edit.rule().after(listing.state).is_some());
        let listing = found.ok_or_else(not_found)?;
        let page = match &listing.content {
            Content::Page(_) => listing.id,
            Content::Game(game) if !self.locks || shared.contains_key(&game.page_id) => {
                game.page_id
            }
            Content::Game(_) => return Ok(None),
            Content::Event(_) => {
                let account = Some(self.submission.author.account);
                let is_own = self.submission.is_about_samples() || listing.submitter == account;
                return is_own.then_some(Some((listing, None))).ok_or_else(not_found);
            }
        };
        let page = self.page(PageRef::Id(page)).await?.ok_or_else(not_found)?;
        Ok(Some((listing, Some(page).filter(|_| name.entity == Entity::Game))))
    }

    /// Locks the page of a game, and the page that the body names, before the game itself: decisions on a page lock the page and then its
    /// games. Returns the locked pages.
    async fn share_pages(
        &mut self,
        name: Option<&ListingName>,
        creator: Option<&str>,
    ) -> Result<HashMap<Uuid, bool>, Fault> {
        if !self.locks || self.submission.target.entity() != Entity::Game {
            return Ok(HashMap::new());
        }
        let found = match name {
            Some(name) => listings::find(&mut *self.connection, name).await?,
            None => None,
        };
        let page = found.and_then(|listing| listing.content.game().map(|game| game.page_id));
        let named = match creator {
            Some(handle) => self.page(PageRef::Handle(handle)).await?,
            None => None,
        };
        let pages: Vec<Uuid> = page.into_iter().chain(named.map(|page| page.id)).collect();
        Ok(listings::share_pages(self.connection, &pages).await?)
    }

    /// A page of the account, in any state; for samples, any sample too.
    async fn page(&mut self, page_ref: PageRef<'_>) -> Result<Option<OwnedPage>, Fault> {
        let account = self.submission.author.account;
        let found = page_owners::find(self.connection, account, page_ref).await?;
        if found.is_some() || !self.submission.is_about_samples() {
            return Ok(found);
        }
        let sample = match page_ref {
            PageRef::Id(id) => listings::find_by_id(&mut *self.connection, id).await?,
            PageRef::Handle(handle) => {
                let name = ListingName { mode: Mode::Test, ..ListingName::page(handle) };
                listings::find(&mut *self.connection, &name).await?
            }
        };
        Ok(sample.as_ref().and_then(sample_of))
    }

    /// The reference data for the body. The credits of a game may name pages, and so may its stored credits.
    async fn reference_data(
        &mut self,
        before: Option<&Listing>,
        now: OffsetDateTime,
    ) -> Result<ReferenceData, Fault> {
        let (body, reference) = (&self.submission.body, ReferenceData::at(now));
        if self.submission.target.entity() != Entity::Game || !body.contains_key("credits") {
            return Ok(reference);
        }
        let game = before.and_then(|listing| listing.content.game());
        let credits = game.map_or(&[][..], |game| &game.credits).iter();
        let stored = credits.filter_map(|credit| credit.handle.as_deref());
        let handles: BTreeSet<&str> = stored.clone().chain(game::handles(body)).collect();
        let handles: Vec<String> = handles.into_iter().map(ToOwned::to_owned).collect();
        let mode = self.submission.author.mode;
        let creators =
            reference_data::credited_pages(&mut *self.connection, mode, &handles).await?;
        let hidden = stored.filter(|handle| !creators.contains_key(*handle));
        Ok(ReferenceData {
            hidden_creators: hidden.map(ToOwned::to_owned).collect(),
            creators,
            ..reference
        })
    }

    /// Whether another page has the handle of a new page; the handle is empty if it is to be made from the name.
    async fn is_handle_taken(&mut self, handle: &str) -> Result<bool, Fault> {
        if handle.is_empty() {
            return Ok(false);
        }
        if self.locks {
            imports::lock_kind(self.connection, Entity::Page, Mode::Live).await?;
        }
        let wanted = [handle.to_owned()];
        let taken = listings::names(self.connection, Entity::Page, Mode::Live, &wanted).await?;
        Ok(!taken.is_empty())
    }
}

/// A sample, as a page of the account.
fn sample_of(sample: &Listing) -> Option<OwnedPage> {
    let page = sample.content.page()?;
    Some(OwnedPage {
        id: sample.id,
        handle: page.handle.clone(),
        country_code: page.country_code.clone(),
        city: page.city.clone(),
        state: sample.state,
    })
}
