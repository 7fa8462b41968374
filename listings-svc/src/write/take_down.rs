//! An account takes down a listing of its own. Only staff restore it.

use kit::Fault;
use serde::Serialize;
use uuid::Uuid;

use super::absent::no_own_listing;
use super::{CommandDependencies, follow_page, lock_listing, record_change};
use crate::domain::content::Content;
use crate::domain::entity::Entity;
use crate::domain::event::Event;
use crate::domain::game::Game;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::state::ListingState;
use crate::feed::{ChangeKind, Publish};
use crate::store::revisions::Actor;
use crate::store::{ListingTable, own_listings};

#[derive(Debug)]
pub struct OwnTakedown {
    pub account: Uuid,
    pub entity: Entity,
    /// The slug or the handle.
    pub name: String,
}

/// Returns the page, if it has more games than follow it in one transaction.
pub async fn apply(
    commands: &CommandDependencies,
    takedown: &OwnTakedown,
) -> Result<Option<Uuid>, Fault> {
    match takedown.entity {
        Entity::Page => take_down::<Page>(commands, takedown).await,
        Entity::Game => take_down::<Game>(commands, takedown).await,
        Entity::Event => take_down::<Event>(commands, takedown).await,
    }
}

async fn take_down<C>(
    commands: &CommandDependencies,
    OwnTakedown {
        account,
        entity,
        name,
    }: &OwnTakedown,
) -> Result<Option<Uuid>, Fault>
where
    C: Content,
    Listing<C>: ListingTable + Publish + Serialize,
{
    let mut context = commands.begin().await?;
    let before = lock_listing::<C>(&mut context.connection, Mode::Live, name).await?;
    let own = own_listings::find(&mut *context.connection, *account, *entity, name).await?;
    let before = own.and(before).ok_or_else(|| no_own_listing(*entity))?;
    let current = follow_page::under_its_page(&mut context, &before).await?;
    let Some(after) = current.with_state(ListingState::Removed, context.now) else {
        context.commit(Vec::new()).await?;
        return Ok(None);
    };
    let (actor, now) = (Actor::Account(*account), context.now);
    record_change::update(&mut context.connection, &before, &after, actor, None, now).await?;
    let following = follow_page::changes(&mut context, &before, &after, ChangeKind::Removed);
    let (unfinished, changes) = following.await?;
    context.commit(changes).await?;
    Ok(unfinished)
}
