//! Publishes to the feed when a report is held, approved, rejected or retracted: `web` mails it to the people of the accounts that own the game.

use contracts::economy::v1 as proto;
use kit::feed::NewChange;
use kit::ids;
use prost::Message as _;
use sqlx::PgConnection;
use strum::IntoStaticStr;
use uuid::Uuid;

use crate::store::games;

/// What became of a report. The feed has the names.
#[derive(Debug, Clone, Copy, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum ReviewEvent {
    /// It waits for a decision of staff.
    Held,
    /// It was held, and counts now.
    Counted,
    /// It was held, and never counts.
    Rejected,
    /// It counted, and does not any more.
    Retracted,
}

/// A report that is held, or that staff have decided on.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportReview<'a> {
    pub(super) game: Uuid,
    /// Its number.
    pub(super) report: i64,
    pub(super) event: ReviewEvent,
    /// Why it is held, was rejected or retracted; empty for an approval.
    pub(super) reason: &'a str,
}

/// The change to publish; `None` if nobody owns the game.
pub(super) async fn change(
    connection: &mut PgConnection,
    review: ReportReview<'_>,
) -> Result<Option<NewChange>, sqlx::Error> {
    let Some(game) = games::owned(connection, review.game).await? else {
        return Ok(None);
    };
    let message = proto::ReportReview {
        account_ids: game.owners.iter().map(Uuid::to_string).collect(),
        report: review.report,
        game: game.slug,
        reason: review.reason.to_owned(),
    };
    Ok(Some(NewChange {
        entity: "report_review",
        id: ids::row_id().to_string(),
        revision: 1,
        event: review.event.into(),
        announced: false,
        happening: true,
        state: message.encode_to_vec(),
    }))
}
