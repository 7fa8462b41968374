//! An account takes down a listing of its own. Only staff restore it.

use kit::Fault;
use serde::Serialize;
use uuid::Uuid;

use super::absent::no_own_listing;
use super::{CommandDependencies, lock_listing, page_games, record_change};
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

pub async fn apply(commands: &CommandDependencies, takedown: &OwnTakedown) -> Result<(), Fault> {
    match takedown.entity {
        Entity::Page => take_down::<Page>(commands, takedown).await,
        Entity::Game => take_down::<Game>(commands, takedown).await,
        Entity::Event => take_down::<Event>(commands, takedown).await,
        Entity::Genre | Entity::Country | Entity::City => Err(no_own_listing(takedown.entity)),
    }
}

async fn take_down<C>(
    commands: &CommandDependencies,
    OwnTakedown {
        account,
        entity,
        name,
    }: &OwnTakedown,
) -> Result<(), Fault>
where
    C: Content,
    Listing<C>: ListingTable + Publish + Serialize,
{
    let mut context = commands.begin().await?;
    let before = lock_listing::<C>(&mut context.connection, Mode::Live, name).await?;
    let own = own_listings::find(&mut *context.connection, *account, *entity, name).await?;
    let before = own.and(before).ok_or_else(|| no_own_listing(*entity))?;
    let Some(after) = before.with_state(ListingState::Removed, context.now) else {
        return context.commit(Vec::new()).await;
    };
    let (actor, now) = (Actor::Account(*account), context.now);
    record_change::update(&mut context.connection, &before, &after, actor, None, now).await?;
    let changes = page_games::changes(&mut context, &before, &after, ChangeKind::Removed).await?;
    context.commit(changes).await
}
