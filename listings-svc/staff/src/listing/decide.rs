//! `approve`, `reject`, `take-down` and `restore`, on one listing or more.

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use serde::Serialize;

use super::name::{self, ListingKind, ListingMode};
use super::review_text;
use crate::arguments::revision_number;
use crate::confirm::{self, Confirmation};
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;
use crate::table::table;

/// Listings per call.
const BATCH: usize = 50;

/// What is approved or rejected.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// The slug, or the handle of a page
    slug: String,
    /// The revision that you reviewed: any other is refused
    #[arg(long, value_name = "N", value_parser = revision_number)]
    revision: i64,
}

impl Target {
    pub(super) fn request(
        self,
        decision: proto::Decision,
        kind: ListingKind,
        reason: String,
    ) -> Request {
        Request {
            decision,
            names: vec![kind.named(ListingMode::Live, self.slug)],
            revision: Some(self.revision),
            reason,
        }
    }
}

/// Asks before several listings are taken down at once.
pub(super) async fn confirm_takedown(
    kind: ListingKind,
    slugs: &[String],
    confirmation: Confirmation,
) -> Result<(), Error> {
    if slugs.len() < 2 {
        return Ok(());
    }
    let question = format!(
        "Take down {} {}s ({})? Reads of them answer 404.",
        slugs.len(),
        kind.as_str(),
        confirm::enumerate(slugs)
    );
    confirmation.ask(&question).await
}

/// A decision on one listing or more.
pub(super) struct Request {
    pub(super) decision: proto::Decision,
    pub(super) names: Vec<proto::ListingName>,
    /// The reviewed revision; `None` for a takedown and a restore, which are of the listing whatever its revision.
    pub(super) revision: Option<i64>,
    pub(super) reason: String,
}

/// The result for one listing.
#[derive(Debug, Serialize)]
struct DecisionOutcome {
    kind: String,
    name: String,
    /// The state after the decision; empty when the decision was refused.
    state: String,
    /// The revision after the decision; null when the decision was refused.
    revision: Option<i64>,
    /// Why the decision was refused; empty otherwise.
    problem: String,
    note: String,
    /// The changes since the revision that was reviewed.
    changed: Vec<ChangedField>,
}

#[derive(Debug, Serialize)]
struct ChangedField {
    field: String,
    before: serde_json::Value,
    after: serde_json::Value,
}

impl From<proto::DecideResult> for DecisionOutcome {
    fn from(result: proto::DecideResult) -> Self {
        let name = result.name.unwrap_or_default();
        let value = |json: &str| serde_json::from_str(json).unwrap_or_default();
        let changed = |it: proto::Difference| ChangedField {
            before: value(&it.before),
            after: value(&it.after),
            field: it.path,
        };
        Self {
            kind: name.kind,
            name: name.name,
            revision: result.listing.as_ref().map(|listing| listing.revision),
            state: (result.listing).map_or_else(String::new, |it| name::state(it.state())),
            problem: result.problem,
            note: result.note,
            changed: result.differences.into_iter().map(changed).collect(),
        }
    }
}

const COLUMNS: [&str; 5] = ["kind", "name", "state", "revision", "note"];

impl DecisionOutcome {
    fn texts(&self) -> Vec<String> {
        let revision = self.revision.map(|it| it.to_string()).unwrap_or_default();
        let note = format!("{}{}", self.problem, self.note);
        let [kind, name, state] = [&self.kind, &self.name, &self.state].map(Clone::clone);
        vec![kind, name, state, revision, note]
    }
}

pub(super) async fn run(request: Request, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let Request { decision, names, revision, reason } = request;
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let mut results: Vec<proto::DecideResult> = Vec::with_capacity(names.len());
    let all = names.len();
    let mut failure = None;
    for batch in names.chunks(BATCH) {
        let item =
            |name: &proto::ListingName| proto::DecideItem { name: Some(name.clone()), revision };
        let request = proto::DecideRequest {
            decision: decision.into(),
            items: batch.iter().map(item).collect(),
            reason: reason.clone(),
        };
        match review.decide(request).await {
            Ok(decided) => results.extend(decided.into_inner().results),
            Err(status) => {
                failure = Some(Error::from(status));
                break;
            }
        }
    }
    let Some(error) = failure else {
        return report(results, output);
    };
    if results.is_empty() {
        return Err(error);
    }
    let done = results.len();
    let before = match report(results, output) {
        Ok(()) => format!("{done} of {all} listings were decided on before, as listed"),
        Err(refusals) => {
            format!("{done} of {all} listings were decided on before; of these, {refusals}")
        }
    };
    Err(error.followed_by(&before))
}

/// Prints the result for each listing. The exit status is 1 when a decision was refused.
fn report(results: Vec<proto::DecideResult>, output: Output) -> Result<(), Error> {
    let changes: Vec<String> = results
        .iter()
        .filter(|result| !result.differences.is_empty())
        .map(|result| {
            let name = result.name.clone().unwrap_or_default();
            review_text::changes(&name, &result.differences)
        })
        .collect();
    let outcomes: Vec<DecisionOutcome> = results.into_iter().map(DecisionOutcome::from).collect();
    let document = serde_json::json!({ "results": outcomes });
    let rows = outcomes.iter().map(DecisionOutcome::texts).collect();
    output.line(&document, &table(&COLUMNS, rows).to_string())?;
    for change in changes {
        output.print(&change);
    }
    let (refused, all) =
        (outcomes.iter().filter(|o| !o.problem.is_empty()).count(), outcomes.len());
    if refused == 0 {
        return Ok(());
    }
    Err(Error::Refused(format!("{refused} of {all} were refused: the output says why")))
}
