//! Writes of games and events: from a request to the message for listings-svc, and from its response to ours (§4.3).

use contracts::listings::v1::{Author, State, Writing, Written};
use contracts::public::{Created, DryRun, Updated};
use kit::{Code, Fault};

use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::service_write::ServiceWrite;

/// Informs the submitter about the review.
const NOTE: &str =
    "A person reviews it before it becomes public. GET /me/listings shows its status.";

/// The message for listings-svc.
pub(super) fn writing(write: &ServiceWrite) -> Writing {
    let ServiceWrite { app, caller, .. } = write;
    Writing {
        author: Some(Author {
            account_id: caller.key.account.to_string(),
            mode: caller.key.mode.into(),
            writes_per_day: app.plans.get_or_cheapest(&caller.plan).writes_per_day,
        }),
        body: write.body.clone(),
        dry_run: write.dry_run,
        idempotency_key: write.idempotency_key.clone(),
    }
}

/// The response to a POST. `list` is the path below which the listing was created.
pub(super) fn created_response(
    list: &str,
    written: Option<Written>,
) -> Result<ApiResponse, ApiError> {
    let written = written.ok_or_else(envelope::internal)?;
    let (status, replayed, revision) = (status(&written)?, written.replayed, written.revision);
    let Some(slug) = written.slug else {
        return dry_run("create", status);
    };
    // A slug has lower-case letters, digits and hyphens only, so it needs no percent-encoding.
    let path = format!("{list}/{slug}");
    let response =
        ApiResponse::json(&Created { slug, status, url: written.url, note: NOTE.to_owned() })?
            .created_at(path)
            .at_revision(revision);
    Ok(response.replayed(replayed))
}

/// The response to a PATCH.
pub(super) fn updated_response(written: Option<Written>) -> Result<ApiResponse, ApiError> {
    let written = written.ok_or_else(envelope::internal)?;
    let status = status(&written)?;
    let Some(slug) = written.slug else {
        return dry_run("update", status);
    };
    let response = ApiResponse::json(&Updated {
        slug,
        status,
        url: written.url,
        note: Some(written.note).filter(|note| !note.is_empty()),
    })?;
    Ok(response.at_revision(written.revision))
}

fn dry_run(would: &str, status: String) -> Result<ApiResponse, ApiError> {
    ApiResponse::json(&DryRun { dry_run: true, would: would.to_owned(), status })
}

/// The name of the state in the contract (§3). A state that this version does not know is an internal fault.
fn status(written: &Written) -> Result<String, Fault> {
    let status = match written.state() {
        State::Pending => "pending",
        State::Published => "published",
        State::Rejected => "rejected",
        State::Removed => "removed",
        State::Unspecified => return Err(Fault::internal(&prost::UnknownEnumValue(written.state))),
    };
    Ok(status.to_owned())
}

/// The error of a PATCH. If its outcome is unknown, the way out differs from that of a POST: a PATCH takes no `Idempotency-Key`
/// and can be repeated without one.
pub(super) fn update_error(fault: Fault) -> Fault {
    match fault.code {
        Code::OutcomeUnknown => Fault {
            message: "The change was not confirmed in time. It may or may not have taken effect. Read the listing, or send the same PATCH again: \
                      if the first one took effect, the second changes nothing, or fails with 412 if it has an If-Match."
                .into(),
            ..fault
        },
        _ => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_in_an_unknown_state_is_an_internal_fault() {
        let in_state = |state: i32| status(&Written { state, ..Written::default() });
        assert_eq!(in_state(State::Removed.into()).unwrap(), "removed");
        for state in [i32::from(State::Unspecified), 99] {
            assert_eq!(in_state(state).unwrap_err().code, Code::Internal);
        }
    }
}
