//! A command of an account: what submissions and changes have in common. Rows are locked in the order accounts, listings, head of the
//! feed.

use std::sync::Arc;

use kit::feed::{NewChange, Stop};
use serde::Serialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

use super::submission::{Answer, Outcome, Submission};
use super::{Rules, limits};
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::record::Record as _;
use crate::domain::reference_data::ReferenceData;
use crate::domain::slug;
use crate::domain::state::State;
use crate::feed::{ChangeKind, Publish};
use crate::store::page_owners::{self, OwnedPage, PageRef};
use crate::store::{ListingTable, Locked, RecordTable as _, accounts, games, pages};

/// Slugs with the same base that are looked for at first; twice as many each further time.
const FIRST_WINDOW: usize = 8;

/// A command that is done: its answer, and its change, unless it changed nothing.
#[derive(Debug)]
pub(super) struct AcceptedCommand {
    pub(super) outcome: Outcome,
    pub(super) change: Option<NewChange>,
}

/// A listing that accounts send in.
pub(super) trait SubmittedListing: ListingTable + Publish + Serialize {}
impl<T: ListingTable + Publish + Serialize> SubmittedListing for T {}

/// A command under way.
pub(super) struct Command<'a> {
    pub(super) connection: &'a mut PgConnection,
    pub(super) submission: &'a Submission,
    pub(super) rules: &'a Rules,
    pub(super) now: OffsetDateTime,
    /// Rows are looked at without locks, and nothing is saved.
    pub(super) is_dry_run: bool,
    /// Writes of the account today, this one with them.
    pub(super) writes_today: i32,
}

impl<'a> Command<'a> {
    /// A command that is to be run.
    pub(super) fn new(
        connection: &'a mut PgConnection,
        submission: &'a Submission,
        rules: &'a Rules,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            connection,
            submission,
            rules,
            now,
            is_dry_run: false,
            writes_today: 0,
        }
    }

    /// The same, which looks at rows without locks and saves nothing.
    pub(super) fn dry_run(self) -> Self {
        Self {
            is_dry_run: true,
            ..self
        }
    }

    /// Locks the row of the account: under it, what the account writes in a day and what waits of it is counted exactly. Returns what it
    /// has written today with so many more.
    pub(super) async fn lock_account(&mut self, added: i32) -> Result<i32, Stop> {
        let (account, today) = (self.submission.author.account, self.now.date());
        if !self.is_dry_run {
            let locked = accounts::lock(self.connection, account, today, added).await?;
            return locked.ok_or(Stop::Busy);
        }
        let before = if self.is_about_samples() {
            0
        } else {
            accounts::writes_on(self.connection, account, today).await?
        };
        Ok(before.saturating_add(added))
    }

    /// Samples are everybody's, and nobody's limits hold for them.
    pub(super) fn is_about_samples(&self) -> bool {
        self.submission.author.mode == Mode::Test
    }

    /// What the body may refer to.
    pub(super) async fn reference_data(&mut self) -> Result<Arc<ReferenceData>, Stop> {
        let cache = &self.rules.reference_data;
        let reference_data = cache.get(self.connection, self.submission, self.now);
        Ok(reference_data.await?)
    }

    /// The listing that is to be changed, locked.
    pub(super) async fn lock_listing<C>(&mut self, name: &str) -> Result<Option<Listing<C>>, Stop>
    where
        Listing<C>: SubmittedListing,
    {
        // What is no slug names nothing; and PostgreSQL takes no text with a NUL in it.
        if !slug::is_valid(name) {
            return Ok(None);
        }
        let (names, mode) = ([name.to_owned()], self.submission.author.mode);
        let found = if self.is_dry_run {
            Listing::<C>::find(self.connection, mode, &names).await?
        } else {
            let locked = Listing::<C>::lock(self.connection, mode, &names).await?;
            Locked::complete(locked).ok_or(Stop::Busy)?
        };
        // What was taken down is gone until it is restored.
        let mut found = found.into_iter();
        Ok(found.find(|listing| listing.state != State::Removed))
    }

    /// The game that is to be changed, locked, and the page of the account that it stands under.
    pub(super) async fn lock_game(
        &mut self,
        name: &str,
    ) -> Result<Option<(Listing<Game>, OwnedPage)>, Stop> {
        if self.is_dry_run {
            let Some(game) = self.lock_listing::<Game>(name).await? else {
                return Ok(None);
            };
            let page = self.find_page(PageRef::Id(game.content.page_id)).await?;
            return Ok(page.map(|page| (game, page)));
        }
        if !slug::is_valid(name) {
            return Ok(None);
        }
        let account = self.submission.author.account;
        let locked = games::lock_with_page(self.connection, name, account).await?;
        let Some((game, page)) = locked else {
            let names = [name.to_owned()];
            let present = Listing::<Game>::find(self.connection, Mode::Live, &names).await?;
            return if present.is_empty() {
                Ok(None)
            } else {
                Err(Stop::Busy)
            };
        };
        let page = page.filter(|_| game.state != State::Removed);
        Ok(page.map(|page| (game, page)))
    }

    /// The page of the account with this handle, for a game that is sent in under it (§4.3): one that waits for its review or is public.
    pub(super) async fn page_with_handle(&mut self, handle: &str) -> Result<OwnedPage, Stop> {
        if !slug::is_valid(handle) {
            return Err(limits::not_yours(handle).into());
        }
        match self.lock_page(PageRef::Handle(handle)).await? {
            Some(page) if page.state.0 == State::Removed => Err(limits::taken_down(handle).into()),
            Some(page) if page.state.0 != State::Rejected => Ok(page),
            Some(_) | None => Err(limits::not_yours(handle).into()),
        }
    }

    /// A page of the account, in any state, that nobody takes down until the command is committed: nothing is sent in under a page whose
    /// removal is just being committed.
    pub(super) async fn lock_page(
        &mut self,
        page_ref: PageRef<'_>,
    ) -> Result<Option<OwnedPage>, Stop> {
        if self.is_dry_run {
            return self.find_page(page_ref).await;
        }
        let account = self.submission.author.account;
        let locked = page_owners::lock(self.connection, account, page_ref).await?;
        if locked.is_none() && self.find_page(page_ref).await?.is_some() {
            return Err(Stop::Busy);
        }
        Ok(locked)
    }

    /// A page of the account, in any state, without a lock.
    pub(super) async fn find_page(
        &mut self,
        page_ref: PageRef<'_>,
    ) -> Result<Option<OwnedPage>, Stop> {
        let account = self.submission.author.account;
        let found = page_owners::find(self.connection, account, page_ref).await?;
        if found.is_some() || !self.is_about_samples() {
            return Ok(found);
        }
        let samples = match page_ref {
            PageRef::Id(id) => pages::with_ids(self.connection, &[id]).await?,
            PageRef::Handle(handle) => {
                let handles = [handle.to_owned()];
                Listing::<Page>::find(self.connection, Mode::Test, &handles).await?
            }
        };
        let sample = samples.into_iter().next();
        Ok(sample.map(|page| sample_of(page, account)))
    }

    /// Refuses a submission when as many wait for their review as may.
    pub(super) async fn check_pending_limit(&mut self) -> Result<(), Stop> {
        if self.is_about_samples() {
            return Ok(());
        }
        let account = self.submission.author.account;
        let waiting = accounts::count_pending(self.connection, account).await?;
        Ok(limits::check_pending_limit(
            waiting,
            self.rules.max_pending,
        )?)
    }

    /// Refuses more writes of a day than the plan has.
    pub(super) fn check_daily_limit(&self) -> Result<(), Stop> {
        let most = self.submission.author.writes_per_day;
        Ok(limits::check_daily_limit(
            self.writes_today,
            most,
            self.now,
        )?)
    }

    /// The first free slug with this base. Another replica may be taking it just now: then PostgreSQL refuses the listing, and the
    /// command is tried again.
    pub(super) async fn free_slug<C>(&mut self, base: &str) -> Result<String, Stop>
    where
        Listing<C>: SubmittedListing,
    {
        let (mut first, mut window) = (1, FIRST_WINDOW);
        loop {
            let numbers = first..first + window;
            let slugs: Vec<String> = numbers.map(|n| slug::numbered(base, n)).collect();
            let taken = Listing::<C>::taken_names(self.connection, &slugs).await?;
            if let Some(free) = slugs.into_iter().find(|slug| !taken.contains(slug)) {
                return Ok(free);
            }
            first += window;
            window *= 2;
        }
    }

    /// What is answered and published of a listing; `happened` is `None` when nothing differs.
    pub(super) fn accept<C>(
        &self,
        listing: &Listing<C>,
        change_kind: Option<ChangeKind>,
    ) -> AcceptedCommand
    where
        Listing<C>: SubmittedListing,
    {
        let public_url = &self.rules.public_url;
        let announced = listing.state == State::Published;
        AcceptedCommand {
            outcome: Outcome {
                answer: Answer {
                    slug: listing.key().to_owned(),
                    state: listing.state,
                    url: listing.url(public_url),
                    revision: listing.revision,
                    note: None,
                },
                replayed: false,
            },
            change: change_kind
                .map(|change_kind| listing.change(change_kind, announced, public_url)),
        }
    }
}

/// A sample, as if it were the account's own.
fn sample_of(page: Listing<Page>, account: Uuid) -> OwnedPage {
    OwnedPage {
        account,
        id: page.id,
        handle: page.content.handle,
        name: page.content.name,
        country_code: page.content.country_code,
        city: page.content.city,
        state: Json(page.state),
    }
}
