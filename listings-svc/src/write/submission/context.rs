//! What `create` and `update` share while a submission is applied. Rows are locked in the order accounts, pages, games and events, head of
//! the feed.

use std::collections::{BTreeSet, HashMap, HashSet};

use kit::Fault;
use kit::feed::NewChange;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Receipt, Submission};
use crate::domain::entity::Entity;
use crate::domain::game;
use crate::domain::listing::{Content, Listing};
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;
use crate::domain::reference_data::ReferenceData;
use crate::domain::slug;
use crate::domain::state::{ListingState, OwnAction};
use crate::feed::listing_change;
use crate::store::page_owners::{self, OwnedPage, PageRef};
use crate::store::{accounts, imports, listings, reference_data};
use crate::write::absent::no_own_listing;
use crate::write::{CommandDependencies, limits};

/// Slugs with the same base in the first query; each further query doubles the number.
const FIRST_WINDOW: usize = 8;

/// An accepted submission: its receipt, and its change unless nothing changed.
#[derive(Debug)]
pub(super) struct AcceptedSubmission {
    pub(super) receipt: Receipt,
    pub(super) change: Option<NewChange>,
}

/// The context in which a submission is applied.
pub(super) struct SubmissionContext<'a> {
    pub(super) connection: &'a mut PgConnection,
    pub(super) submission: &'a Submission,
    pub(super) dependencies: &'a CommandDependencies,
    pub(super) now: OffsetDateTime,
    /// Reads rows without locks, and saves nothing.
    pub(super) is_dry_run: bool,
    /// Writes of the account on this day, this one included once it is counted: from the start if the target
    /// [always counts](super::Target::always_counts), else by [`count_write`](Self::count_write).
    pub(super) writes_today: i32,
}

impl SubmissionContext<'_> {
    /// Locks the row of the account, so that its daily writes and its pending submissions are counted exactly. Adds `writes` to those of
    /// the day, and returns the sum. A dry run reads the row without a lock, and stores nothing.
    pub(super) async fn lock_and_count(&mut self, writes: i32) -> Result<i32, Fault> {
        let (account, today) = (self.submission.author.account, self.now.date());
        if !self.is_dry_run {
            return Ok(accounts::lock(self.connection, account, today, writes).await?);
        }
        let before = if self.is_about_samples() {
            0
        } else {
            accounts::writes_on(&mut *self.connection, account, today).await?
        };
        Ok(before.saturating_add(writes))
    }

    /// Whether the submission is about samples. Every account may use them, and no limits apply.
    pub(super) fn is_about_samples(&self) -> bool {
        self.submission.author.mode == Mode::Test
    }

    /// The reference data for a body. That of a game may name pages in its credits, as the stored ones of `current` do.
    pub(super) async fn reference_data(
        &mut self,
        entity: Entity,
        current: Option<&Listing>,
    ) -> Result<ReferenceData, Fault> {
        let (body, reference) = (&self.submission.body, ReferenceData::at(self.now));
        if entity != Entity::Game || !body.contains_key("credits") {
            return Ok(reference);
        }
        let stored = current.and_then(|listing| listing.content.game());
        let stored = stored.map_or(&[][..], |game| &game.credits).iter();
        let stored = stored.filter_map(|credit| credit.handle.as_deref());
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

    /// Locks a listing of the account, which may change it. Also returns the page of a game; others cannot change the page until the submission
    /// is committed.
    pub(super) async fn lock_own(
        &mut self,
        entity: Entity,
        name: &str,
    ) -> Result<(Listing, Option<OwnedPage>), Fault> {
        let not_found = || no_own_listing(entity);
        let name = ListingName {
            entity,
            mode: self.submission.author.mode,
            key: name.to_owned(),
        };
        let shared = self.share_pages_of_game(&name).await?;
        let found = if self.is_dry_run {
            listings::find(&mut *self.connection, &name).await?
        } else {
            listings::lock(self.connection, &name).await?
        };
        // For accounts, a listing that was taken down does not exist until staff restore it.
        let found = found.filter(|listing| OwnAction::Edit.rule().after(listing.state).is_some());
        let listing = found.ok_or_else(not_found)?;
        let page = match &listing.content {
            Content::Page(_) => listing.id,
            Content::Game(game) if self.is_dry_run || shared.contains_key(&game.page_id) => {
                game.page_id
            }
            Content::Game(_) => {
                return Err(Fault::unavailable(
                    "a game that has just moved to another page",
                ));
            }
            Content::Event(_) => {
                let account = Some(self.submission.author.account);
                let is_own = self.is_about_samples() || listing.submitter == account;
                return is_own.then_some((listing, None)).ok_or_else(not_found);
            }
        };
        let page = self.find_page(PageRef::Id(page)).await?;
        let page = page.ok_or_else(not_found)?;
        let page = Some(page).filter(|_| entity == Entity::Game);
        Ok((listing, page))
    }

    /// Locks the page of a game, and the page that the body moves the game to, before the game itself: decisions on a page lock the page and
    /// then its games. Returns the locked pages. A dry run locks none.
    async fn share_pages_of_game(
        &mut self,
        name: &ListingName,
    ) -> Result<HashMap<Uuid, bool>, Fault> {
        if self.is_dry_run || name.entity != Entity::Game {
            return Ok(HashMap::new());
        }
        let found = listings::find(&mut *self.connection, name).await?;
        let page = found.and_then(|listing| listing.content.game().map(|game| game.page_id));
        let handle = game::creator(&self.submission.body);
        let new_page = match handle.filter(|handle| slug::is_valid(handle)) {
            Some(handle) => self.find_page(PageRef::Handle(handle)).await?,
            None => None,
        };
        let new_page = new_page.map(|page| page.id);
        let pages: Vec<Uuid> = page.into_iter().chain(new_page).collect();
        Ok(listings::share_pages(self.connection, &pages).await?)
    }

    /// The page of the account with this handle, for a game under it (§4.3): pending or public.
    pub(super) async fn page_with_handle(&mut self, handle: &str) -> Result<OwnedPage, Fault> {
        if !slug::is_valid(handle) {
            return Err(limits::not_yours(handle));
        }
        match self.share_page(PageRef::Handle(handle)).await? {
            Some(page) if page.state == ListingState::Removed => Err(limits::taken_down(handle)),
            Some(page) if page.state != ListingState::Rejected => Ok(page),
            Some(_) | None => Err(limits::not_yours(handle)),
        }
    }

    /// Locks a page of the account, in any state, against changes by others until the submission is committed: nothing is submitted under a
    /// page whose removal is being committed.
    async fn share_page(&mut self, page_ref: PageRef<'_>) -> Result<Option<OwnedPage>, Fault> {
        if self.is_dry_run {
            return self.find_page(page_ref).await;
        }
        let account = self.submission.author.account;
        Ok(page_owners::lock(self.connection, account, page_ref).await?)
    }

    /// A page of the account, in any state, without a lock.
    pub(super) async fn find_page(
        &mut self,
        page_ref: PageRef<'_>,
    ) -> Result<Option<OwnedPage>, Fault> {
        let account = self.submission.author.account;
        let found = page_owners::find(self.connection, account, page_ref).await?;
        if found.is_some() || !self.is_about_samples() {
            return Ok(found);
        }
        let sample = match page_ref {
            PageRef::Id(id) => listings::find_by_id(&mut *self.connection, id).await?,
            PageRef::Handle(handle) => {
                let name = ListingName {
                    mode: Mode::Test,
                    ..ListingName::page(handle)
                };
                listings::find(&mut *self.connection, &name).await?
            }
        };
        Ok(sample.as_ref().and_then(sample_of))
    }

    /// Refuses a submission beyond the limit of pending ones of `submitter`, the account for which it counts.
    ///
    /// The row of the author is locked, but not that of another submitter: a submission of that account may hold it and wait for this listing.
    /// What the submitter and other owners submit in the same instant may therefore exceed the limit.
    pub(super) async fn check_pending_limit(&mut self, submitter: Uuid) -> Result<(), Fault> {
        if self.is_about_samples() {
            return Ok(());
        }
        let is_own = submitter == self.submission.author.account;
        let waiting = accounts::count_pending(self.connection, submitter).await?;
        let whose = if is_own {
            "of your submissions"
        } else {
            "submissions of the account that submitted this listing"
        };
        let limit = self.dependencies.max_pending;
        limits::check_pending_limit(waiting, limit, whose)
    }

    /// Counts one more write of the day, and refuses it beyond the limit of the plan. A refusal rolls the count back.
    pub(super) async fn count_write(&mut self) -> Result<(), Fault> {
        self.writes_today = self.lock_and_count(1).await?;
        self.check_daily_limit()
    }

    /// Refuses a write beyond the daily limit of the plan.
    pub(super) fn check_daily_limit(&self) -> Result<(), Fault> {
        let most = self.submission.author.writes_per_day;
        limits::check_daily_limit(self.writes_today, most, self.now)
    }

    /// The first free slug with this base. It stays free until the transaction ends: one transaction at a time names listings of a kind.
    pub(super) async fn free_slug(&mut self, entity: Entity, base: &str) -> Result<String, Fault> {
        self.lock_names(entity).await?;
        let (mut first, mut window) = (1, FIRST_WINDOW);
        loop {
            let numbers = first..first + window;
            let slugs: Vec<String> = numbers.map(|n| slug::numbered(base, n)).collect();
            let taken = listings::names(self.connection, entity, Mode::Live, &slugs).await?;
            let taken: HashSet<String> = taken.into_iter().collect();
            if let Some(free) = slugs.into_iter().find(|slug| !taken.contains(slug)) {
                return Ok(free);
            }
            first += window;
            window *= 2;
        }
    }

    /// Lets no other transaction name listings of a kind. Imports take the same lock.
    pub(super) async fn lock_names(&mut self, entity: Entity) -> Result<(), Fault> {
        if !self.is_dry_run {
            imports::lock_kind(self.connection, entity, Mode::Live).await?;
        }
        Ok(())
    }

    /// The receipt of a listing, and its change if it has changed; `owners` are those of a page.
    pub(super) fn accept(
        &self,
        before: Option<&Listing>,
        listing: &Listing,
        is_changed: bool,
        owners: &[Uuid],
    ) -> AcceptedSubmission {
        let public_url = &self.dependencies.public_url;
        AcceptedSubmission {
            receipt: Receipt {
                slug: listing.name().to_owned(),
                state: listing.state,
                url: public_url.listing(listing.entity(), listing.name()),
                revision: listing.revision,
                note: None,
                replayed: false,
            },
            change: is_changed.then(|| listing_change(before, listing, owners)),
        }
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
