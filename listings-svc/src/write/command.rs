//! A command of an account: what submissions and changes have in common.
//!
//! Each is one straight line, in the order of §7.1: lock the account, look for a stored answer, then (`submit`, `update`) load and lock
//! the listing (404), read the body (`invalid`, `not_yours`), hold it to the limits of the account (`too_many_pending`, `limit`), save,
//! and publish. Rows are locked in the order accounts, listings, head of the feed.

use std::sync::Arc;

use kit::Fault;
use kit::feed::NewChange;
use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use sqlx::types::Json;
use time::OffsetDateTime;
use uuid::Uuid;

use super::submission::{Answer, IdempotencyKey, Outcome, Submission, Target};
use super::{Rules, limits, submit, update};
use crate::domain::known::Known;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::record::Record as _;
use crate::domain::slug;
use crate::domain::state::State;
use crate::feed::{Happened, Publish};
use crate::store::accounts::{self, Writes};
use crate::store::idempotency::{self, Kept};
use crate::store::owners::{self, Owned};
use crate::store::{Changed, Found, Locked, Stored as _, pages};

/// Slugs with the same base that are looked for at first; twice as many each further time.
const WINDOW: usize = 8;

/// Why a command ends before it is done.
#[derive(Debug)]
pub(super) enum Stop {
    /// A row is locked elsewhere.
    Busy,
    /// A rule forbids it.
    Refused(Fault),
    /// PostgreSQL does not do a statement.
    Database(sqlx::Error),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault)
    }
}

impl From<sqlx::Error> for Stop {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// A command that is done: its answer, and its change, unless it changed nothing.
#[derive(Debug)]
pub(super) struct Accepted {
    pub(super) outcome: Outcome,
    pub(super) change: Option<NewChange>,
}

/// A listing that accounts send in.
pub(super) trait Submitted: Found + Changed + Publish + Serialize {}
impl<T: Found + Changed + Publish + Serialize> Submitted for T {}

/// A command under way.
pub(super) struct Command<'a> {
    pub(super) connection: &'a mut PgConnection,
    pub(super) submission: &'a Submission,
    pub(super) rules: &'a Rules,
    pub(super) now: OffsetDateTime,
    /// Rows are looked at without locks, and nothing is saved.
    pub(super) is_dry_run: bool,
}

impl Command<'_> {
    /// Decides and writes it.
    pub(super) async fn run(mut self) -> Result<Accepted, Stop> {
        let writes = self.lock_account().await?;
        let submission = self.submission;
        if let Some(key) = &submission.idempotency_key
            && let Some(stored) = self.stored_answer(key).await?
        {
            return replay(stored, key);
        }
        let accepted = match &submission.target {
            Target::NewGame => submit::game(&mut self, writes).await?,
            Target::NewEvent => submit::event(&mut self, writes).await?,
            Target::NewPage => submit::page(&mut self).await?,
            Target::Game(slug) => update::game(&mut self, writes, slug).await?,
            Target::Event(slug) => update::event(&mut self, writes, slug).await?,
            Target::Page(handle) => update::page(&mut self, handle).await?,
        };
        if let Some(key) = &submission.idempotency_key {
            self.store_answer(key, &accepted.outcome.answer).await?;
        }
        Ok(accepted)
    }

    /// Locks the row of the account: under it, what the account writes in a day and what waits of it is counted exactly.
    async fn lock_account(&mut self) -> Result<Writes, Stop> {
        let (account, today) = (self.submission.author.account, self.now.date());
        if !self.is_dry_run {
            let locked = accounts::lock(self.connection, account, today).await?;
            return locked.ok_or(Stop::Busy);
        }
        let found = if self.is_about_samples() {
            None
        } else {
            accounts::find(self.connection, account).await?
        };
        Ok(found.unwrap_or(Writes {
            day: today,
            count: 0,
        }))
    }

    async fn stored_answer(&mut self, key: &IdempotencyKey) -> Result<Option<Kept>, Stop> {
        Ok(idempotency::find(self.connection, &key.name, self.now).await?)
    }

    async fn store_answer(&mut self, key: &IdempotencyKey, answer: &Answer) -> Result<(), Stop> {
        let kept = Kept {
            body_sha256: key.body_sha256.clone(),
            // A struct of texts: writing it cannot fail.
            answer: serde_json::to_value(answer).unwrap_or(Value::Null),
        };
        Ok(idempotency::save(self.connection, &key.name, &kept, self.now).await?)
    }

    /// Samples are everybody's, and nobody's limits hold for them.
    pub(super) fn is_about_samples(&self) -> bool {
        self.submission.author.mode == Mode::Test
    }

    /// What the body may refer to.
    pub(super) async fn reference_data(&mut self) -> Result<Arc<Known>, Stop> {
        let data = &self.rules.reference_data;
        let known = data.now(self.connection, self.submission, self.now);
        Ok(known.await?)
    }

    /// The listing that is to be changed, locked.
    pub(super) async fn lock_listing<C>(&mut self, name: &str) -> Result<Option<Listing<C>>, Stop>
    where
        Listing<C>: Submitted,
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
            Locked::whole(locked).ok_or(Stop::Busy)?
        };
        // What was taken down is gone until it is restored.
        let mut found = found.into_iter();
        Ok(found.find(|listing| listing.state != State::Removed))
    }

    /// The page of the account with this handle, for a game that is sent in under it (§4.3): one that waits for its review or is public.
    pub(super) async fn page_with_handle(&mut self, handle: &str) -> Result<Owned, Stop> {
        if !slug::is_valid(handle) {
            return Err(limits::not_yours(handle).into());
        }
        let account = self.submission.author.account;
        let handles = [handle.to_owned()];
        let mut found = owners::find(self.connection, account, &[], &handles).await?;
        if self.is_about_samples() {
            let samples = Listing::<Page>::find(self.connection, Mode::Test, &handles).await?;
            found.extend(samples.into_iter().map(|page| sample_of(page, account)));
        }
        match found.into_iter().next() {
            Some(page) if page.state.0 == State::Removed => Err(limits::taken_down(handle).into()),
            Some(page) if page.state.0 != State::Rejected => Ok(page),
            Some(_) | None => Err(limits::not_yours(handle).into()),
        }
    }

    /// The page with this id, if it is the account's, in any state.
    pub(super) async fn page_with_id(&mut self, id: Uuid) -> Result<Option<Owned>, Stop> {
        let account = self.submission.author.account;
        let mut found = owners::find(self.connection, account, &[id], &[]).await?;
        if self.is_about_samples() {
            let samples = pages::with_ids(self.connection, &[id]).await?;
            found.extend(samples.into_iter().map(|page| sample_of(page, account)));
        }
        Ok(found.into_iter().next())
    }

    /// Refuses a submission when as many wait for their review as may.
    pub(super) async fn check_waiting(&mut self) -> Result<(), Stop> {
        if self.is_about_samples() {
            return Ok(());
        }
        let account = self.submission.author.account;
        let waiting = accounts::waiting(self.connection, account).await?;
        Ok(limits::check_waiting(waiting, self.rules.most_waiting)?)
    }

    /// Counts an accepted write of the day, and refuses one more than the plan has.
    pub(super) async fn count_write(&mut self, writes: Writes) -> Result<(), Stop> {
        let author = &self.submission.author;
        let writes = limits::count_write(writes, author.writes_per_day, self.now)?;
        if !self.is_dry_run {
            accounts::save(self.connection, author.account, writes).await?;
        }
        Ok(())
    }

    /// The first free slug with this base. Another replica may be taking it just now: then PostgreSQL refuses the listing, and the
    /// command is tried again.
    pub(super) async fn free_slug<C>(&mut self, base: &str) -> Result<String, Stop>
    where
        Listing<C>: Submitted,
    {
        let (mut first, mut window) = (1, WINDOW);
        loop {
            let numbers = first..first + window;
            let slugs: Vec<String> = numbers.map(|n| slug::numbered(base, n)).collect();
            let taken = Listing::<C>::taken(self.connection, &slugs).await?;
            if let Some(free) = slugs.into_iter().find(|slug| !taken.contains(slug)) {
                return Ok(free);
            }
            first += window;
            window *= 2;
        }
    }

    /// What is answered and published of a listing; `happened` is `None` when nothing differs.
    pub(super) fn accept<C>(&self, listing: &Listing<C>, happened: Option<Happened>) -> Accepted
    where
        Listing<C>: Submitted,
    {
        let addresses = &self.rules.addresses;
        let announced = listing.state == State::Published;
        Accepted {
            outcome: Outcome {
                answer: Answer {
                    slug: listing.key().to_owned(),
                    state: listing.state,
                    url: listing.url(addresses),
                    revision: listing.revision,
                    note: None,
                },
                replayed: false,
            },
            change: happened.map(|happened| listing.change(happened, announced, addresses)),
        }
    }
}

/// The answer that the same call was given before.
fn replay(stored: Kept, key: &IdempotencyKey) -> Result<Accepted, Stop> {
    if stored.body_sha256 != key.body_sha256 {
        return Err(limits::other_body().into());
    }
    let answer = serde_json::from_value(stored.answer).map_err(|error| Fault::internal(&error))?;
    Ok(Accepted {
        outcome: Outcome {
            answer,
            replayed: true,
        },
        change: None,
    })
}

/// A sample, as if it were the account's own.
fn sample_of(page: Listing<Page>, account: Uuid) -> Owned {
    Owned {
        account,
        id: page.id,
        handle: page.content.handle,
        name: page.content.name,
        country_code: page.content.country_code,
        city: page.content.city,
        state: Json(page.state),
    }
}
