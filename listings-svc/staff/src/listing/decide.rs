//! `approve`, `reject`, `take-down` and `restore`, on one listing or more.

use clap::Args;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;
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

#[derive(Debug, Args)]
pub(crate) struct Target {
    #[command(flatten)]
    slugs: Slugs,
    /// The revision that you reviewed, of one listing: any other is refused. Without it, `approve` and `reject` show the listing and ask, for
    /// which they need a terminal
    #[arg(long, value_name = "N", value_parser = revision_number)]
    revision: Option<i64>,
}

impl Target {
    /// Asks before several listings are taken down at once.
    pub(super) async fn confirm_takedown(
        &self,
        kind: ListingKind,
        confirmation: Confirmation,
    ) -> Result<(), Error> {
        let slugs = &self.slugs.slugs;
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
}

/// A decision on one listing or more.
pub(super) struct Request {
    pub(super) decision: proto::Decision,
    pub(super) target: Target,
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
        target,
        reason,
    } = request;
    let names = target.slugs.into_names(kind);
    if target.revision.is_some() && names.len() > 1 {
        return Err(Error::usage(
            "--revision is for one listing: leave it out, or decide on the listings one by one",
        ));
    }
    let asks = needs_review(decision) && target.revision.is_none();
    if asks && (output.is_json() || !prompt::is_terminal()) {
        return Err(Error::usage(format!(
            "nothing was changed: give the revision that you reviewed with --revision, one listing at a time. {} lists the revisions; on a terminal, and without --json, the command shows each listing and asks",
            command_hint::staff("review list")
        )));
    }
    let client = fleet.listings().await?;
    let mut review = StaffReviewServiceClient::new(client.clone());
    let mut results: Vec<proto::DecideResult> = Vec::with_capacity(names.len());
    for batch in names.chunks(BATCH) {
        let mut items = Vec::with_capacity(batch.len());
        for name in batch {
            let revision = match target.revision {
                Some(revision) => Some(revision),
                None => show_for_decision(&client, decision, name, output).await?,
            };
            if let Some(revision) = revision.filter(|_| asks)
                && !confirm::is_confirmed(&question(decision, name, revision)).await?
            {
                output::note(&format!("{} stays as it is", name.name));
                continue;
            }
            // A rejection is not bound to what was shown: an account that changes its listing all the time does not evade it.
            let revision = match decision {
                proto::Decision::Reject => target.revision,
                _ => revision,
            };
            let name = Some(name.clone());
            items.push(proto::DecideItem { name, revision });
        }
        if items.is_empty() {
            continue;
        }
        let request = proto::DecideRequest {
            decision: decision.into(),
            items,
            reason: reason.clone(),
        };
        let response = review.decide(request).await.inspect_err(|_| {
            if !results.is_empty() {
                output::note(&format!(
                    "the first {} listings were decided on before the error",
                    results.len()
                ));
            }
        })?;
        results.extend(response.into_inner().results);
    }
    if results.is_empty() {
        return Err(Error::Refused(
            "nothing was changed: no answer was yes".to_owned(),
        ));
    }
    report(results, output)
}

/// Whether a decision is about the content of a revision.
const fn needs_review(decision: proto::Decision) -> bool {
    matches!(decision, proto::Decision::Approve | proto::Decision::Reject)
}

fn question(decision: proto::Decision, name: &proto::ListingName, revision: i64) -> String {
    let verb = match decision {
        proto::Decision::Approve => "Approve",
        _ => "Reject",
    };
    let (kind, slug) = (&name.kind, sanitize(&name.name));
    format!("{verb} {kind} {slug} at revision {revision}?")
}

/// Shows a listing before the decision and returns the revision that was shown. Returns `None` when there is no such listing; the
/// decision then reports it.
async fn show_for_decision(
    client: &Client,
    decision: proto::Decision,
    name: &proto::ListingName,
    output: Output,
) -> Result<Option<i64>, Error> {
    if needs_review(decision) && name::is_live(name) {
        let request = proto::GetReviewRequest {
            name: Some(name.clone()),
        };
        let mut review = StaffReviewServiceClient::new(client.clone());
        let Some(response) = none_if_missing(review.get_review(request).await)? else {
            return Ok(None);
        };
        let response = response.into_inner();
        output.print(&review_text::differences(&response));
        return Ok(response.item.map(|item| item.revision));
    }
    let request = proto::GetListingRequest {
        name: Some(name.clone()),
    };
    let mut listings = StaffListingServiceClient::new(client.clone());
    let response = none_if_missing(listings.get_listing(request).await)?;
    Ok(response
        .and_then(|response| response.into_inner().listing)
        .map(|listing| listing.revision))
}

/// The response, or `None` when there is no such listing.
fn none_if_missing<T>(response: Result<T, Status>) -> Result<Option<T>, Error> {
    match response {
        Ok(response) => Ok(Some(response)),
        Err(status) if !status.details().is_empty() => match Fault::from(status) {
            fault if matches!(fault.code, kit::Code::NotFound | kit::Code::Invalid) => Ok(None),
            fault => Err(fault.into()),
        },
        Err(status) => Err(status.into()),
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
    if refused == 0 {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "{refused} of {} were refused: the list says why",
        outcomes.len()
    )))
}
