//! An account takes down a listing of its own. Only staff restore it.

use kit::Fault;
use uuid::Uuid;

use super::absent::no_own_listing;
use super::record_change::{self, Actor};
use super::{CommandDependencies, page_games};
use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;
use crate::domain::state::ListingState;
use crate::feed::ChangeKind;
use crate::store::{listings, own_listings};

#[derive(Debug)]
pub struct OwnTakedown {
    pub account: Uuid,
    pub entity: Entity,
    /// The slug or the handle.
    pub name: String,
}

pub async fn apply(commands: &CommandDependencies, takedown: &OwnTakedown) -> Result<(), Fault> {
    let OwnTakedown {
        account,
        entity,
        name,
    } = takedown;
    let mut context = commands.begin().await?;
    let now = context.now;
    let listing = ListingName {
        entity: *entity,
        mode: Mode::Live,
        key: name.clone(),
    };
    let before = listings::lock(&mut context.connection, &listing).await?;
    let own = own_listings::find(&mut *context.connection, *account, *entity, name).await?;
    let before = own.and(before).ok_or_else(|| no_own_listing(*entity))?;
    let Some(after) = before.with_state(ListingState::Removed, now) else {
        return context.commit(Vec::new()).await;
    };
    let actor = Actor::Account(*account);
    let revision = record_change::revision(Some(&before), &after, actor, None)?;
    record_change::save(&mut context.connection, &after, revision, now).await?;
    let changes = page_games::changes(&mut context, &before, &after, ChangeKind::Removed).await?;
    context.commit(changes).await
}
