//! An account withdraws a listing from the review, inside the writer's transaction.

use contracts::public::WITHDRAWN_REASON;
use kit::Fault;
use kit::feed::ApplyError;

use super::context::{AcceptedSubmission, SubmissionContext, SubmittedListing};
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::state::ListingState;
use crate::feed::ChangeKind;
use crate::store::revisions::Actor;
use crate::write::absent::no_own_listing;
use crate::write::record_change;

pub(super) async fn apply(
    context: &mut SubmissionContext<'_>,
    entity: Entity,
    name: &str,
) -> Result<AcceptedSubmission, ApplyError> {
    match entity {
        Entity::Page => {
            let page = context.lock_own_page(name).await?;
            withdraw(context, page).await
        }
        Entity::Game => {
            let found = context.lock_game(name).await?;
            let (game, _) = found.ok_or_else(|| no_own_listing(Entity::Game))?;
            withdraw(context, game).await
        }
        Entity::Event => {
            let event = context.lock_own_event(name).await?;
            withdraw(context, event).await
        }
        Entity::Genre | Entity::Country | Entity::City => Err(no_own_listing(entity).into()),
    }
}

async fn withdraw<C: Clone + PartialEq>(
    context: &mut SubmissionContext<'_>,
    before: Listing<C>,
) -> Result<AcceptedSubmission, ApplyError>
where
    Listing<C>: SubmittedListing,
{
    match before.state {
        ListingState::Pending => {}
        // Nothing waits for a review.
        ListingState::Rejected => return Ok(context.accept(None, &before, None)),
        ListingState::Published | ListingState::Removed => {
            let reason = format!(
                "Only a pending listing can be withdrawn, and this one {}. Ask staff to take it down.",
                before.state.phrase()
            );
            return Err(Fault::invalid_field("name", reason).into());
        }
    }
    let after = before.with_state(ListingState::Rejected, context.now);
    let Some(after) = after else {
        return Ok(context.accept(None, &before, None));
    };
    let actor = Actor::Account(context.submission.author.account);
    let reason = Some(WITHDRAWN_REASON.to_owned());
    let now = context.now;
    record_change::update(context.connection, &before, &after, actor, reason, now).await?;
    Ok(context.accept(Some(&before), &after, Some(ChangeKind::Rejected)))
}
