//! An account withdraws a listing of its own, or takes it down. Only staff restore what was taken
//! down.

use kit::{Code, Fault};
use uuid::Uuid;

use super::absent::no_own_listing;
use super::record_change::{self, Actor};
use super::{CommandDependencies, page_games};
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;
use crate::domain::state::{ListingState, OwnAction};
use crate::feed::decisions::{DecisionKind, StaffDecision};
use crate::store::{listings, own_listings};

/// A listing of an account, as a person of the account saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenListing {
    pub account: Uuid,
    pub entity: Entity,
    pub name: String,
    /// A listing with another revision is left as it is.
    pub revision: i64,
}

/// Returns whether the listing changed: false when an account did the same before.
pub async fn apply(
    commands: &CommandDependencies,
    action: OwnAction,
    seen: &SeenListing,
) -> Result<bool, Fault> {
    let SeenListing { account, entity, .. } = *seen;
    let mut transaction = commands.producer.begin().await?;
    let now = transaction.now;
    let listing = ListingName { entity, mode: Mode::Live, key: seen.name.clone() };
    let before = listings::lock(&mut transaction, &listing).await?;
    let own = own_listings::find(&mut *transaction, account, entity, &seen.name).await?;
    let before = own.and(before).ok_or_else(|| no_own_listing(entity))?;
    if action.is_done(before.state, &before.cause) {
        transaction.commit(&[]).await?;
        return Ok(false);
    }
    let after = before.after_own_action(action, account, now);
    let after = after.filter(|_| before.revision == seen.revision);
    let (after, recipients) = after.ok_or_else(|| changed_meanwhile(action, &before))?;
    let revision = record_change::revision(Some(&before), &after, Actor::Account(account), None)?;
    record_change::save(&mut transaction, &after, revision, now).await?;
    let owners = listings::owners(&mut transaction, after.id).await?;
    let mut changes = page_games::changes(&mut transaction, &before, &after, &owners).await?;
    // Only a takedown has readers.
    let readers = recipients.among(owners, Some(account));
    let decision = StaffDecision {
        named: Some(account),
        ..StaffDecision::on(&after, DecisionKind::ListingRemovedByOwner, readers)
    };
    changes.extend(decision.change());
    transaction.commit(&changes).await?;
    Ok(true)
}

/// The fault of a call about a listing that is not as the person saw it: what happened to it, and
/// what the person can do now.
fn changed_meanwhile(action: OwnAction, listing: &Listing) -> Fault {
    let is_by_staff = listing.cause.account.is_none();
    let text = match (listing.state, action) {
        (ListingState::Published, OwnAction::Withdraw) => {
            "Staff approved it meanwhile, so it is published now. Take it down if you no longer want it on the site."
        }
        (ListingState::Pending, OwnAction::TakeDown) => {
            "It is in review, and not published. Withdraw it instead."
        }
        (ListingState::Published | ListingState::Pending, _) => {
            "The listing has changed since you opened this page. Check it, then try again."
        }
        (ListingState::Rejected, _) if is_by_staff => {
            "Staff rejected it meanwhile. Read the reason, then edit the listing to resubmit it."
        }
        (ListingState::Rejected, _) => {
            "It was withdrawn meanwhile, and is not published. Edit it to resubmit it."
        }
        (ListingState::Removed, _) if is_by_staff => {
            "Staff took it down meanwhile. Only staff can restore it."
        }
        (ListingState::Removed, _) => "It was taken down meanwhile. Only staff can restore it.",
    };
    Fault::new(Code::PreconditionFailed, text)
}
