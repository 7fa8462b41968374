//! Decisions, each in the order of §7.1: an answer that is kept, then 404, `invalid`, `not_yours`, `too_many_pending`, `limit`.

use std::cell::LazyCell;
use std::sync::Arc;

use kit::{Code, Fault};
use serde_json::Value;
use time::{Duration, OffsetDateTime, Time};

use super::desk::{Account, Desk, Shelf, Verdict};
use super::{Answer, Author, Once, Outcome, Sent, Target, shown};
use crate::domain::body::{self, Before};
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::page::Page;
use crate::domain::record::Record as _;
use crate::domain::slug;
use crate::domain::state::State;
use crate::feed::{Happened, Publish};
use crate::store::idempotency::Kept;

/// Where the listings of a kind are.
type Of<C> = fn(&mut Desk) -> &mut Shelf<C>;

impl Desk {
    /// Decides on one that was sent.
    pub(super) fn decide(&mut self, sent: &Sent) -> Verdict {
        if !self.accounts.contains_key(&sent.author.account) {
            return Verdict::Busy;
        }
        if let Some(once) = &sent.once
            && let Some(kept) = self.kept.get(&once.name)
        {
            return replay(kept, once);
        }
        let verdict = match &sent.target {
            Target::NewGame => self.new_game(sent),
            Target::Game(slug) => self.game(sent, slug),
            Target::NewEvent => self.new_event(sent),
            Target::Event(slug) => self.event(sent, slug),
            Target::NewPage => self.new_page(sent),
            Target::Page(handle) => self.sheet(sent, handle),
        };
        let verdict = verdict.unwrap_or_else(|verdict| verdict);
        if let (Some(once), Verdict::Accepted(outcome, _)) = (&sent.once, &verdict) {
            self.keep(once, &outcome.answer);
        }
        verdict
    }

    fn new_game(&mut self, sent: &Sent) -> Result<Verdict, Verdict> {
        let read = body::read::<Game>(&sent.body, &self.known, None).map_err(Fault::invalid)?;
        let handle = read.creator.unwrap_or_default();
        let page = self.page_called(sent.author.account, &handle);
        let page_id = page.ok_or_else(|| not_yours(&handle))?.id;
        self.has_room(&sent.author)?;
        self.count(&sent.author)?;
        let base = slug::from_title(&read.game.title).unwrap_or_else(|| "game".to_owned());
        let slug = self.games.take_slug(&base);
        let game = Game {
            slug,
            page_id,
            ..read.game
        };
        self.list(&sent.author, |desk| &mut desk.games, game)
    }

    fn new_event(&mut self, sent: &Sent) -> Result<Verdict, Verdict> {
        let read = body::read::<Event>(&sent.body, &self.known, None).map_err(Fault::invalid)?;
        self.has_room(&sent.author)?;
        self.count(&sent.author)?;
        let base = slug::from_title(&read.title).unwrap_or_else(|| "event".to_owned());
        let slug = self.events.take_slug(&base);
        let event = Event { slug, ..read };
        self.list(&sent.author, |desk| &mut desk.events, event)
    }

    fn game(&mut self, sent: &Sent, slug: &str) -> Result<Verdict, Verdict> {
        if self.games.elsewhere.contains(slug) {
            return Ok(Verdict::Busy);
        }
        let account = sent.author.account;
        let none = || Fault::not_found("no game of yours has this slug");
        let held = self
            .games
            .held
            .get(slug)
            .filter(|game| game.state != State::Removed);
        let held = held.ok_or_else(none)?;
        let page = self.page(account, held.content.page_id).ok_or_else(none)?;
        let shown = LazyCell::new(|| shown::game(held, page, &self.addresses));
        let before = Before {
            listing: held,
            shown: &shown,
        };
        let read =
            body::read::<Game>(&sent.body, &self.known, Some(before)).map_err(Fault::invalid)?;
        let page_id = match read.creator {
            Some(handle) if handle != page.handle => {
                let other = self.page_called(account, &handle);
                other.ok_or_else(|| not_yours(&handle))?.id
            }
            Some(_) | None => page.id,
        };
        let game = Game {
            page_id,
            ..read.game
        };
        let before = Arc::clone(held);
        self.edit(&sent.author, |desk| &mut desk.games, before, game)
    }

    fn event(&mut self, sent: &Sent, slug: &str) -> Result<Verdict, Verdict> {
        if self.events.elsewhere.contains(slug) {
            return Ok(Verdict::Busy);
        }
        let account = sent.author.account;
        let held = self.events.held.get(slug).filter(|event| {
            let own = self.samples || event.submitter == Some(account);
            own && event.state != State::Removed
        });
        let held = held.ok_or_else(|| Fault::not_found("no event of yours has this slug"))?;
        let shown = LazyCell::new(|| shown::event(held, &self.addresses));
        let before = Before {
            listing: held,
            shown: &shown,
        };
        let read =
            body::read::<Event>(&sent.body, &self.known, Some(before)).map_err(Fault::invalid)?;
        let before = Arc::clone(held);
        self.edit(&sent.author, |desk| &mut desk.events, before, read)
    }

    fn new_page(&mut self, sent: &Sent) -> Result<Verdict, Verdict> {
        let read = body::read::<Page>(&sent.body, &self.known, None).map_err(Fault::invalid)?;
        if self.sheets.taken.contains(&read.handle) {
            return Err(Fault::invalid_field("handle", "It is taken: choose another.").into());
        }
        self.has_room(&sent.author)?;
        let base = match read.handle.as_str() {
            "" => slug::from_title(&read.name).unwrap_or_else(|| "page".to_owned()),
            handle => handle.to_owned(),
        };
        let handle = self.sheets.take_slug(&base);
        let page = Page { handle, ..read };
        self.list(&sent.author, |desk| &mut desk.sheets, page)
    }

    fn sheet(&mut self, sent: &Sent, handle: &str) -> Result<Verdict, Verdict> {
        if self.sheets.elsewhere.contains(handle) {
            return Ok(Verdict::Busy);
        }
        let account = sent.author.account;
        let held = self.sheets.held.get(handle);
        let held = held.filter(|page| page.state != State::Removed && self.owns(account, page.id));
        let held = held.ok_or_else(|| Fault::not_found("no page of yours has this handle"))?;
        let shown = LazyCell::new(|| shown::page(held, &self.addresses));
        let before = Before {
            listing: held,
            shown: &shown,
        };
        let read =
            body::read::<Page>(&sent.body, &self.known, Some(before)).map_err(Fault::invalid)?;
        let before = Arc::clone(held);
        self.edit(&sent.author, |desk| &mut desk.sheets, before, read)
    }

    /// Lists what is new.
    fn list<C: Clone + PartialEq>(
        &mut self,
        author: &Author,
        shelf: Of<C>,
        content: C,
    ) -> Result<Verdict, Verdict>
    where
        Listing<C>: Publish,
    {
        let listing = Listing::submitted(kit::ids::row_id(), author.account, content, self.now);
        let listing = Arc::new(listing);
        if Listing::<C>::ENTITY == Entity::Page {
            self.new_owners.push((listing.id, author.account));
        }
        shelf(self).change(author.account, &listing);
        self.accepted(author, &listing, Some(Happened::Submitted))
    }

    /// Changes a listing, within the limits of that. What was rejected comes back into the queue by it, and so is a submission. Only
    /// games and events use up the writes of the day (§8).
    fn edit<C: Clone + PartialEq>(
        &mut self,
        author: &Author,
        shelf: Of<C>,
        before: Arc<Listing<C>>,
        content: C,
    ) -> Result<Verdict, Verdict>
    where
        Listing<C>: Publish,
    {
        let after = before.edited(content, self.now).map(Arc::new);
        let happened = after
            .as_ref()
            .map(|after| happened(before.state, after.state));
        if happened == Some(Happened::Submitted) {
            self.has_room(author)?;
        }
        if Listing::<C>::ENTITY != Entity::Page {
            self.count(author)?;
        }
        if let Some(after) = &after {
            shelf(self).change(author.account, after);
        }
        self.accepted(author, &after.unwrap_or(before), happened)
    }

    fn account(&mut self, author: &Author) -> Result<&mut Account, Verdict> {
        self.accounts.get_mut(&author.account).ok_or(Verdict::Busy)
    }

    /// Refuses one more submission than may wait.
    fn has_room(&mut self, author: &Author) -> Result<(), Verdict> {
        let most = self.most_waiting;
        if self.account(author)?.waiting < most {
            return Ok(());
        }
        let message = format!(
            "{most} of your submissions are waiting for their review, which is the most; send this one when one of them is decided"
        );
        Err(Fault::new(Code::TooManyPending, message).into())
    }

    /// Counts an accepted write of the day.
    fn count(&mut self, author: &Author) -> Result<(), Verdict> {
        let now = self.now;
        let account = self.account(author)?;
        if account.writes.day != now.date() {
            account.writes.day = now.date();
            account.writes.count = 0;
        }
        let most = author
            .writes_per_day
            .map(|most| i32::try_from(most).unwrap_or(i32::MAX));
        if most.is_some_and(|most| account.writes.count >= most) {
            return Err(limit(author.writes_per_day.unwrap_or_default(), now).into());
        }
        account.writes.count = account.writes.count.saturating_add(1);
        account.wrote = true;
        Ok(())
    }

    fn accepted<C>(
        &mut self,
        author: &Author,
        listing: &Listing<C>,
        happened: Option<Happened>,
    ) -> Result<Verdict, Verdict>
    where
        Listing<C>: Publish,
    {
        if happened == Some(Happened::Submitted) {
            self.account(author)?.waiting += 1;
        }
        let announced = listing.state == State::Published;
        let answer = Answer {
            slug: listing.key().to_owned(),
            state: listing.state,
            url: listing.url(&self.addresses),
        };
        let outcome = Outcome {
            answer,
            replayed: false,
        };
        let change = happened.map(|happened| listing.change(happened, announced, &self.addresses));
        Ok(Verdict::Accepted(Box::new(outcome), change))
    }

    fn keep(&mut self, once: &Once, answer: &Answer) {
        // A struct of texts: writing it cannot fail.
        let kept = Kept {
            body_sha256: once.body_sha256.clone(),
            answer: serde_json::to_value(answer).unwrap_or(Value::Null),
        };
        self.kept.insert(once.name.clone(), kept);
        self.to_keep.push(once.name.clone());
    }
}

/// What a change by its account is to a listing.
const fn happened(before: State, after: State) -> Happened {
    match (before, after) {
        (State::Rejected, State::Pending) => Happened::Submitted,
        _ => Happened::Updated,
    }
}

fn replay(kept: &Kept, once: &Once) -> Verdict {
    if kept.body_sha256 != once.body_sha256 {
        return Fault::new(
            Code::IdempotencyMismatch,
            "this Idempotency-Key came with another body before; use a new one for another call",
        )
        .into();
    }
    match serde_json::from_value(kept.answer.clone()) {
        Ok(answer) => Verdict::Accepted(
            Box::new(Outcome {
                answer,
                replayed: true,
            }),
            None,
        ),
        Err(error) => Fault::internal(&error).into(),
    }
}

fn not_yours(handle: &str) -> Fault {
    let handle = crate::domain::fields::clip(handle);
    Fault::new(
        Code::NotYours,
        format!(
            "`{handle}` is no page of yours; give the handle of a page that you sent in or claimed"
        ),
    )
}

fn limit(most: u32, now: OffsetDateTime) -> Fault {
    let midnight = now.replace_time(Time::MIDNIGHT) + Duration::DAY;
    let left = midnight - now;
    let wait = left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0);
    Fault {
        retry_after: u32::try_from(wait).ok(),
        ..Fault::new(
            Code::Limit,
            format!(
                "the account has used the {most} writes of its day (plan); come back at 00:00 UTC, or take a larger plan"
            ),
        )
    }
}
