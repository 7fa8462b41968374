//! An account takes down a listing of its own, inside the writer's transaction. Only staff restore it.

use kit::feed::ApplyResult;
use serde::Serialize;
use uuid::Uuid;

use super::absent::no_own_listing;
use super::{CommandContext, follow_page, lock_listing, record_change};
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
pub(super) async fn apply(
    context: &mut CommandContext<'_>,
    takedown: &OwnTakedown,
) -> ApplyResult<Option<Uuid>> {
    match takedown.entity {
        Entity::Page => take_down::<Page>(context, takedown).await,
        Entity::Game => take_down::<Game>(context, takedown).await,
        Entity::Event => take_down::<Event>(context, takedown).await,
        Entity::Genre | Entity::Country | Entity::City => {
            Err(no_own_listing(takedown.entity).into())
        }
    }
}

async fn take_down<C>(
    context: &mut CommandContext<'_>,
    OwnTakedown {
        account,
        entity,
        name,
    }: &OwnTakedown,
) -> ApplyResult<Option<Uuid>>
where
    C: Content,
    Listing<C>: ListingTable + Publish + Serialize,
{
    let before = lock_listing::<C>(context.connection, Mode::Live, name).await?;
    let own = own_listings::find(&mut *context.connection, *account, *entity, name).await?;
    let before = own.and(before).ok_or_else(|| no_own_listing(*entity))?;
    let current = follow_page::under_its_page(context, &before).await?;
    let Some(after) = current.with_state(ListingState::Removed, context.now) else {
        return Ok((None, Vec::new()));
    };
    let (actor, now) = (Actor::Account(*account), context.now);
    record_change::update(context.connection, &before, &after, actor, None, now).await?;
    follow_page::changes(context, &before, &after, ChangeKind::Removed).await
}
