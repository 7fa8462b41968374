//! `approve`, `reject`, `take-down` and `restore`, on one listing or more.

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use kit::Fault;
use kit::rpc::client::Client;
use serde::Serialize;
use tonic::Status;

use super::name::{self, ListingKind, Slugs};
use super::review_text;
use crate::arguments::revision_number;
use crate::command_hint;
use crate::confirm::{self, Confirmation};
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::prompt;
use crate::sanitize::sanitize;
use crate::table::table;

/// Listings per call.
const BATCH: usize = 50;

/// What is approved or rejected.
#[derive(Debug, Args)]
pub(crate) struct Target {
    #[command(flatten)]
    pub(super) slugs: Slugs,
    /// The revision that you reviewed, of one listing: any other is refused. Without it, the command shows the listing and asks, for which it
    /// needs a terminal
    #[arg(long, value_name = "N", value_parser = revision_number)]
    pub(super) revision: Option<i64>,
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
    pub(super) slugs: Slugs,
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

pub(super) async fn run(
    kind: ListingKind,
    request: Request,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let Request {
        decision,
        slugs,
        revision,
        reason,
    } = request;
    let names = slugs.into_names(kind);
    if revision.is_some() && names.len() > 1 {
        return Err(Error::usage(
            "--revision is for one listing: leave it out, or decide on the listings one by one",
        ));
    }
    let asks = is_of_content(decision) && revision.is_none();
    if asks && (output.is_json() || !prompt::is_terminal()) {
        return Err(Error::usage(format!(
            "nothing was changed: give the revision that you reviewed with --revision, one listing at a time. {} lists the revisions; on a terminal, and without --json, the command shows each listing and asks",
            command_hint::staff("review list")
        )));
    }
    let mut decider = Decider {
        review: StaffReviewServiceClient::new(fleet.listings().await?),
        decision,
        reason,
    };
    if asks {
        return decider.ask_about_each(names, output).await;
    }
    let mut results: Vec<proto::DecideResult> = Vec::with_capacity(names.len());
    for batch in names.chunks(BATCH) {
        let item = |name: &proto::ListingName| proto::DecideItem {
            name: Some(name.clone()),
            revision,
        };
        let decided = decider.send(batch.iter().map(item).collect()).await;
        results.extend(decided.inspect_err(|_| {
            if !results.is_empty() {
                output::note(&format!(
                    "the first {} listings were decided on before the error",
                    results.len()
                ));
            }
        })?);
    }
    report(results, output)
}

/// Whether a decision is about the content of a listing, so that a person must have read it.
const fn is_of_content(decision: proto::Decision) -> bool {
    matches!(decision, proto::Decision::Approve | proto::Decision::Reject)
}

/// Makes one decision on several listings.
struct Decider {
    review: StaffReviewServiceClient<Client>,
    decision: proto::Decision,
    reason: String,
}

impl Decider {
    async fn send(
        &mut self,
        items: Vec<proto::DecideItem>,
    ) -> Result<Vec<proto::DecideResult>, Status> {
        let request = proto::DecideRequest {
            decision: self.decision.into(),
            items,
            reason: self.reason.clone(),
        };
        let response = self.review.decide(request).await?;
        Ok(response.into_inner().results)
    }

    /// Shows each listing and asks. An answer takes effect at once: the person may be interrupted before the next one.
    async fn ask_about_each(
        &mut self,
        names: Vec<proto::ListingName>,
        output: Output,
    ) -> Result<(), Error> {
        let (mut decided, mut refused) = (0, 0);
        for name in names {
            let Some(results) = self.ask_about(&name, output).await? else {
                output::note(&format!("{} stays as it is", name.name));
                continue;
            };
            for result in results {
                decided += 1;
                refused += usize::from(!result.problem.is_empty());
                print_result(&result, output);
            }
        }
        if decided == 0 {
            return Err(Error::Refused(
                "nothing was changed: no answer was yes".to_owned(),
            ));
        }
        refusals(refused, decided)
    }

    /// Shows a listing, asks, and decides; `None` when the answer is not yes.
    async fn ask_about(
        &mut self,
        name: &proto::ListingName,
        output: Output,
    ) -> Result<Option<Vec<proto::DecideResult>>, Error> {
        let request = proto::GetReviewRequest {
            name: Some(name.clone()),
        };
        let shown = match self.review.get_review(request).await {
            Ok(response) => response.into_inner(),
            Err(status) => return Ok(Some(vec![refusal(name, status)?])),
        };
        output.print(&review_text::differences(&shown));
        let revision = shown.item.map(|item| item.revision).unwrap_or_default();
        if !confirm::is_confirmed(&question(self.decision, name, revision)).await? {
            return Ok(None);
        }
        // A rejection is not bound to what was shown: an account that changes its listing all the time does not evade it.
        let is_bound = self.decision == proto::Decision::Approve;
        let item = proto::DecideItem {
            name: Some(name.clone()),
            revision: is_bound.then_some(revision),
        };
        Ok(Some(self.send(vec![item]).await?))
    }
}

fn question(decision: proto::Decision, name: &proto::ListingName, revision: i64) -> String {
    let verb = match decision {
        proto::Decision::Approve => "Approve",
        _ => "Reject",
    };
    let (kind, slug) = (&name.kind, sanitize(&name.name));
    format!("{verb} {kind} {slug} at revision {revision}?")
}

/// The result for a listing that cannot be shown, such as one that does not exist.
fn refusal(name: &proto::ListingName, status: Status) -> Result<proto::DecideResult, Error> {
    if status.details().is_empty() {
        return Err(status.into());
    }
    match Error::from(Fault::from(status)) {
        Error::Refused(problem) => Ok(proto::DecideResult {
            name: Some(name.clone()),
            problem,
            ..proto::DecideResult::default()
        }),
        error => Err(error),
    }
}

/// Prints the result of one answer.
fn print_result(result: &proto::DecideResult, output: Output) {
    let outcome = DecisionOutcome::from(result.clone());
    let parts = [&outcome.state, &outcome.problem, &outcome.note];
    let parts: Vec<String> = (parts.into_iter())
        .filter(|part| !part.is_empty())
        .map(|part| sanitize(part))
        .collect();
    output.print(&format!(
        "{}: {}",
        sanitize(&outcome.name),
        parts.join("; ")
    ));
    if let Some(name) = (result.name.as_ref()).filter(|_| !result.differences.is_empty()) {
        output.print(&review_text::changes(name, &result.differences));
    }
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
    let refused = outcomes.iter().filter(|o| !o.problem.is_empty()).count();
    refusals(refused, outcomes.len())
}

fn refusals(refused: usize, decided: usize) -> Result<(), Error> {
    if refused == 0 {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "{refused} of {decided} were refused: the output says why"
    )))
}
