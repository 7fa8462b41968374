//! An account takes a listing of its own down, or back from the review. Only staff restore what was taken down.

use kit::Fault;
use uuid::Uuid;

use super::absent::no_own_listing;
use super::record_change::{self, Actor};
use super::{CommandDependencies, page_games};
use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;
use crate::domain::state::{ListingState, OwnAction};
use crate::feed::decisions::{DecisionKind, StaffDecision};
use crate::store::{listings, own_listings};

/// The reason that the owner of a listing reads after the account took it back from the review.
const WITHDRAWN: &str = "Withdrawn by its account.";

pub async fn apply(
    commands: &CommandDependencies,
    account: Uuid,
    entity: Entity,
    name: &str,
) -> Result<(), Fault> {
    let mut transaction = commands.producer.begin().await?;
    let now = transaction.now;
    let listing = ListingName { entity, mode: Mode::Live, key: name.to_owned() };
    let before = listings::lock(&mut transaction, &listing).await?;
    let own = own_listings::find(&mut *transaction, account, entity, name).await?;
    let before = own.and(before).ok_or_else(|| no_own_listing(entity))?;
    let after = OwnAction::TakeDown.rule().after(before.state);
    let (state, recipients) = after.ok_or_else(|| no_own_listing(entity))?;
    let Some(after) = before.with_state(state, now) else {
        return transaction.commit(&[]).await;
    };
    let reason = (state == ListingState::Rejected).then(|| WITHDRAWN.to_owned());
    let actor = Actor::Account(account);
    let revision = record_change::revision(Some(&before), &after, actor, reason)?;
    record_change::save(&mut transaction, &after, revision, now).await?;
    let owners = listings::owners(&mut transaction, after.id).await?;
    let mut changes = page_games::changes(&mut transaction, &before, &after, &owners).await?;
    let readers = recipients.among(owners, Some(account));
    let decision = StaffDecision {
        named: Some(account),
        ..StaffDecision::on(&after, DecisionKind::ListingRemovedByOwner, readers)
    };
    changes.extend(decision.change());
    transaction.commit(&changes).await
}
