//! An account changes the pictures of a listing of its own.

use kit::Fault;

use super::context::{AcceptedSubmission, SubmissionContext};
use super::update::{check_not_taken_down, save};
use crate::domain::entity::Entity;
use crate::domain::state::ListingState;
use crate::write::pictures::{PictureOperation, with_pictures};

/// A change of a public listing is one of the day's writes (§8); uploads have a limit of their own.
pub(super) async fn apply(
    context: &mut SubmissionContext<'_>,
    entity: Entity,
    name: &str,
    operation: &PictureOperation,
) -> Result<AcceptedSubmission, Fault> {
    let (before, page) = context.lock_own(entity, name).await?;
    // A change of a rejected game is a submission (§3).
    if let Some(page) = page.filter(|_| before.state == ListingState::Rejected) {
        check_not_taken_down(&page)?;
    }
    let content = with_pictures(&before.content, operation)?;
    let is_under_public_page = !before.hidden_by_page;
    save(context, before, content, is_under_public_page).await
}
