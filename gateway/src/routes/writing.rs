//! What writes of games and of events have in common: from a request to the services' message, and from their answer to ours (§4.3).

use contracts::listings::v1::{Author, State, Writing, Written};
use contracts::public::{Created, DryRun, Updated};

use crate::app::Gateway;
use crate::domain::key::Caller;
use crate::envelope::{self, Answer};
use crate::errors::Refusal;
use crate::extract::idempotency_key::IdempotencyKey;
use crate::extract::json_body::JsonBody;
use crate::extract::query::Query;
use crate::message;

/// What follows a submission, for a person.
const NOTE: &str =
    "It waits for a person to look at it before it is public. GET /me/listings says how it stands.";

/// What is to be written.
pub(super) async fn writing(
    app: &Gateway,
    caller: &Caller,
    query: Option<&str>,
    key: IdempotencyKey,
    body: JsonBody,
) -> Result<Writing, Refusal> {
    let mut query = Query::read(query, &["dry_run"]);
    let dry_run = query.flag("dry_run");
    query.answered(async { Ok(()) }).await?;
    Ok(Writing {
        author: Some(Author {
            account_id: caller.key.account.to_string(),
            mode: message::mode(caller.key.mode).into(),
            writes_per_day: app.plans.get_or_cheapest(&caller.plan).writes_per_day,
        }),
        body: body.0,
        dry_run,
        idempotency_key: key.0,
    })
}

/// The answer to a POST. What was created is below the path `list`.
pub(super) fn created(list: &str, written: Option<Written>) -> Result<Answer, Refusal> {
    let written = written.ok_or_else(envelope::internal)?;
    let (status, replayed, revision) = (status(&written), written.replayed, written.revision);
    let Some(slug) = written.slug else {
        return dry_run("create", status);
    };
    // A slug is of small letters, digits and hyphens: nothing in it is to be encoded.
    let path = format!("{list}/{slug}");
    let answer = Answer::written(&Created {
        slug,
        status,
        url: written.url,
        note: NOTE.to_owned(),
    })?;
    let answer = answer.created_at(path).at_revision(revision);
    Ok(answer.replayed(replayed))
}

/// The answer to a PATCH.
pub(super) fn updated(written: Option<Written>) -> Result<Answer, Refusal> {
    let written = written.ok_or_else(envelope::internal)?;
    let status = status(&written);
    let Some(slug) = written.slug else {
        return dry_run("update", status);
    };
    let answer = Answer::written(&Updated {
        slug,
        status,
        url: written.url,
        note: Some(written.note).filter(|note| !note.is_empty()),
    })?;
    Ok(answer.at_revision(written.revision))
}

fn dry_run(would: &str, status: String) -> Result<Answer, Refusal> {
    Answer::written(&DryRun {
        dry_run: true,
        would: would.to_owned(),
        status,
    })
}

/// As the contract calls it (§3).
fn status(written: &Written) -> String {
    let status = match written.state() {
        State::Published => "published",
        State::Rejected => "rejected",
        State::Removed => "removed",
        State::Pending | State::Unspecified => "pending",
    };
    status.to_owned()
}
