//! Changes of pages, games and events by their accounts.

use std::cell::LazyCell;

use kit::feed::Stop;
use kit::{Code, Fault};

use super::command::{Accepted, Command, Submitted};
use super::limits::taken_down;
use super::{record_change, representation};
use crate::domain::body::{self, Before};
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::page::{Page, hidden};
use crate::domain::state::State;
use crate::feed::Happened;
use crate::store::owners::Which;
use crate::store::revisions::Actor;

/// Changes the game with this slug.
pub(super) async fn game(command: &mut Command<'_>, slug: &str) -> Result<Accepted, Stop> {
    let none = || Fault::not_found("no game of yours has this slug");
    let (before, page) = command.lock_game(slug).await?.ok_or_else(none)?;
    let known = command.reference_data().await?;
    let read = {
        let addresses = &command.rules.addresses;
        let shown = LazyCell::new(|| representation::game(&before, &page, addresses));
        let held = Before {
            listing: &before,
            shown: &shown,
        };
        let body = &command.submission.body;
        body::read::<Game>(body, &known, Some(held)).map_err(Fault::invalid)?
    };
    let page = match read.creator {
        Some(handle) if handle != page.handle => command.page_with_handle(&handle).await?,
        // A change of what was rejected is a submission (§3).
        _ if before.state == State::Rejected => {
            let page = command.lock_page(Which::Id(page.id)).await?;
            let page = page.ok_or_else(none)?;
            if page.state.0 == State::Removed {
                return Err(taken_down(&page.handle).into());
            }
            page
        }
        Some(_) | None => page,
    };
    let game = Game {
        page_id: page.id,
        ..read.game
    };
    let mut accepted = update(command, before, game).await?;
    accepted.outcome.answer.note = hidden(&page.handle, page.state.0);
    Ok(accepted)
}

/// Changes the event with this slug.
pub(super) async fn event(command: &mut Command<'_>, slug: &str) -> Result<Accepted, Stop> {
    let before = command.lock_listing::<Event>(slug).await?;
    let account = command.submission.author.account;
    let samples = command.is_about_samples();
    let before = before.filter(|event| samples || event.submitter == Some(account));
    let before = before.ok_or_else(|| Fault::not_found("no event of yours has this slug"))?;
    let known = command.reference_data().await?;
    let read = {
        let addresses = &command.rules.addresses;
        let shown = LazyCell::new(|| representation::event(&before, addresses));
        let held = Before {
            listing: &before,
            shown: &shown,
        };
        let body = &command.submission.body;
        body::read::<Event>(body, &known, Some(held)).map_err(Fault::invalid)?
    };
    update(command, before, read).await
}

/// Changes the page with this handle. It is no write of the day (§8).
pub(super) async fn page(command: &mut Command<'_>, handle: &str) -> Result<Accepted, Stop> {
    let none = || Fault::not_found("no page of yours has this handle");
    let before = command.lock_listing::<Page>(handle).await?;
    let before = before.ok_or_else(none)?;
    let owned = command.find_page(Which::Id(before.id)).await?;
    owned.ok_or_else(none)?;
    let known = command.reference_data().await?;
    let read = {
        let addresses = &command.rules.addresses;
        let shown = LazyCell::new(|| representation::page(&before, addresses));
        let held = Before {
            listing: &before,
            shown: &shown,
        };
        let body = &command.submission.body;
        body::read::<Page>(body, &known, Some(held)).map_err(Fault::invalid)?
    };
    update(command, before, read).await
}

fn changed_since() -> Fault {
    Fault::new(
        Code::PreconditionFailed,
        "the listing is not at a revision that If-Match names: it has changed since, or the tag is a weak one (`W/`), which never matches; \
         read it again and send the change with its new ETag",
    )
}

/// Saves what a listing has become, within the limits of the account. A listing that was rejected waits for its review again, and is a
/// submission like a new one.
async fn update<C: Clone + PartialEq>(
    command: &mut Command<'_>,
    before: Listing<C>,
    content: C,
) -> Result<Accepted, Stop>
where
    Listing<C>: Submitted,
{
    let after = before.edited(content, command.now);
    let happened = after
        .as_ref()
        .map(|after| match (before.state, after.state) {
            (State::Rejected, State::Pending) => Happened::Submitted,
            _ => Happened::Updated,
        });
    if happened == Some(Happened::Submitted) {
        command.check_waiting().await?;
    }
    if command.submission.target.writes_of_day() > 0 {
        command.check_written()?;
    }
    // The last check: what would be refused without the condition is refused for that reason.
    if let Some(revisions) = &command.submission.precondition
        && !revisions.contains(&before.revision)
    {
        return Err(changed_since().into());
    }
    let Some(after) = after else {
        return Ok(command.accept(&before, None));
    };
    if !command.is_dry_run {
        let actor = Actor::Account(command.submission.author.account);
        let change = (&before, &after);
        record_change::update(command.connection, change, actor, command.now).await?;
    }
    Ok(command.accept(&after, happened))
}
