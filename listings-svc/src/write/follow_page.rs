//! Games follow the state of their page: a game is hidden while its page is not public.
//!
//! The transaction that changes a page changes its games, up to [`BATCH`]. A page with more games is followed by further commands
//! ([`finish`]), so that no transaction is large. [`crate::jobs::follow_pages`] finishes what a stopped process left.

use kit::Fault;
use kit::feed::NewChange;
use uuid::Uuid;

use super::{CommandContext, CommandDependencies};
use crate::domain::content::Content;
use crate::domain::entity::Entity;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::record::Importable as _;
use crate::feed::{ChangeKind, Publish, listing_change};
use crate::store::{ListingTable, RecordTable as _, games, pages, to_json_row};

/// Games per transaction.
const BATCH: i64 = 500;

/// Hides or shows the next games of a page, which is locked. Returns their changes, and whether games may be left that do not follow it yet.
pub(super) async fn apply(
    context: &mut CommandContext,
    page: Uuid,
    is_public: bool,
) -> Result<(Vec<NewChange>, bool), Fault> {
    let games = games::lock_unfollowing(&mut context.connection, page, is_public, BATCH).await?;
    let (mut rows, mut changes) = (Vec::new(), Vec::new());
    let change_kind = if is_public {
        ChangeKind::Shown
    } else {
        ChangeKind::Hidden
    };
    for before in &games {
        let after = before.clone().under_page(is_public, context.now);
        rows.push(to_json_row(&after)?);
        changes.push(listing_change(Some(before), &after, change_kind));
    }
    let is_unfinished = i64::try_from(games.len()) == Ok(BATCH);
    Listing::<Game>::save(&mut context.connection, &rows.into()).await?;
    Ok((changes, is_unfinished))
}

/// The change of a listing, and those of the games that follow it, if it is a page. Also returns the page, if it has more games than follow it
/// in one transaction.
pub(super) async fn changes<C>(
    context: &mut CommandContext,
    before: &Listing<C>,
    after: &Listing<C>,
    change_kind: ChangeKind,
) -> Result<(Option<Uuid>, Vec<NewChange>), Fault>
where
    Listing<C>: ListingTable + Publish,
{
    let mut changes = vec![listing_change(Some(before), after, change_kind)];
    let is_public = after.is_visible();
    if Listing::<C>::ENTITY != Entity::Page || before.is_visible() == is_public {
        return Ok((None, changes));
    }
    let (games, is_unfinished) = apply(context, after.id, is_public).await?;
    changes.extend(games);
    Ok((is_unfinished.then_some(after.id), changes))
}

/// The listing as it stands under its page. A page that was just taken down may have games that have yet to follow it: a command hides
/// such a game before it changes or announces it.
pub(super) async fn under_its_page<C: Content>(
    context: &mut CommandContext,
    listing: &Listing<C>,
) -> Result<Listing<C>, sqlx::Error> {
    let Some(page) = listing.content.page_id() else {
        return Ok(listing.clone());
    };
    let page = pages::find(&mut context.connection, page).await?;
    let is_shown = page.is_some_and(|page| listing.is_shown_under(page.state));
    Ok(listing.clone().under_page(is_shown, context.now))
}

/// Locks a page, and lets its next games follow it. Returns whether games may be left that do not follow it yet.
async fn resume(commands: &CommandDependencies, page: Uuid) -> Result<bool, Fault> {
    let mut context = commands.begin().await?;
    let Some(is_public) = pages::lock_state(&mut context.connection, page).await? else {
        return Ok(false);
    };
    let (changes, is_unfinished) = apply(&mut context, page, is_public).await?;
    context.commit(changes).await?;
    Ok(is_unfinished)
}

/// Lets all games of a page follow it, a batch per transaction.
pub async fn finish(commands: &CommandDependencies, page: Uuid) -> Result<(), Fault> {
    while resume(commands, page).await? {}
    Ok(())
}
