//! `staff approve`, `reject`, `take-down` and `restore`

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_client::StaffListingServiceClient;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use indicatif::{ProgressBar, ProgressStyle};
use kit::Fault;
use kit::rpc::client::Client;
use serde::Serialize;
use tonic::Status;

use super::fleet::Fleet;
use super::names::{self, Names};
use super::output::Output;
use super::problem::Problem;
use super::shown;
use super::table::table;

/// Listings decided on in one call.
const PORTION: usize = 50;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Approve listings that wait for their review: they are public at once
    ///
    /// Each is shown with what is new in it, and approved as it was shown: if it has changed by then, it is not, and the change is shown.
    Approve {
        #[command(flatten)]
        names: Seen,
    },
    /// Reject listings that wait for their review
    Reject {
        #[command(flatten)]
        names: Seen,
        /// Why, for whoever sent them in; up to 500 characters
        #[arg(long)]
        reason: String,
    },
    /// Take published listings down: reads answer 404, their slugs stay taken
    ///
    /// The games of a creator that is taken down are not shown either. The keys of a game that is taken down stop working.
    TakeDown {
        #[command(flatten)]
        names: Seen,
        /// Why, for the record; up to 500 characters
        #[arg(long)]
        reason: String,
    },
    /// Publish listings that were taken down, as they were before
    Restore {
        #[command(flatten)]
        names: Seen,
        /// Why, for the record; up to 500 characters
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
}

/// One listing or more, and the revision that was looked at.
#[derive(Debug, clap::Args)]
pub(crate) struct Seen {
    #[command(flatten)]
    names: Names,
    /// The revision that you looked at, of one listing: it is not shown again before
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    revision: Option<i64>,
}

/// What came of one of them.
#[derive(Debug, Serialize)]
struct Outcome {
    kind: String,
    name: String,
    /// The state and the revision that it has now; empty and null when nothing was done.
    state: &'static str,
    revision: Option<i64>,
    problem: String,
    note: String,
    /// What has changed since the revision that was looked at.
    changed: Vec<Changed>,
}

#[derive(Debug, Serialize)]
struct Changed {
    field: String,
    before: serde_json::Value,
    after: serde_json::Value,
}

impl From<proto::DecideResult> for Outcome {
    fn from(result: proto::DecideResult) -> Self {
        let name = result.name.unwrap_or_default();
        let value = |json: &str| serde_json::from_str(json).unwrap_or_default();
        let changed = |it: proto::Difference| Changed {
            before: value(&it.before),
            after: value(&it.after),
            field: it.path,
        };
        Self {
            kind: name.kind,
            name: name.name,
            revision: result.listing.as_ref().map(|listing| listing.revision),
            state: result.listing.map_or("", |l| names::state(l.state())),
            problem: result.problem,
            note: result.note,
            changed: result.differences.into_iter().map(changed).collect(),
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let (decision, seen, reason) = match command {
        Command::Approve { names } => (proto::Decision::Approve, names, String::new()),
        Command::Reject { names, reason } => (proto::Decision::Reject, names, reason),
        Command::TakeDown { names, reason } => (proto::Decision::TakeDown, names, reason),
        Command::Restore { names, reason } => (proto::Decision::Restore, names, reason),
    };
    let names = seen.names.into_messages();
    if seen.revision.is_some() && names.len() > 1 {
        return Err(Problem::usage(
            "--revision is that of one listing: decide on the others without it, or one by one",
        ));
    }
    let client = fleet.listings().await?;
    let mut review = StaffReviewServiceClient::new(client.clone());
    let bar = bar(names.len());
    let mut results: Vec<proto::DecideResult> = Vec::with_capacity(names.len());
    for portion in names.chunks(PORTION) {
        let mut items = Vec::with_capacity(portion.len());
        for name in portion {
            let revision = match seen.revision {
                Some(revision) => Some(revision),
                None => look(&client, decision, name, output).await?,
            };
            let name = Some(name.clone());
            items.push(proto::DecideItem { name, revision });
        }
        let request = proto::DecideRequest {
            decision: decision.into(),
            items,
            reason: reason.clone(),
        };
        let answer = review.decide(request).await;
        let answer = answer.inspect_err(|_| {
            bar.finish_and_clear();
            if !results.is_empty() {
                super::output::note(&format!("the first {} were dealt with", results.len()));
            }
        })?;
        results.extend(answer.into_inner().results);
        bar.inc(u64::try_from(portion.len()).unwrap_or(u64::MAX));
    }
    bar.finish_and_clear();
    report(results, output)
}

/// Shows a listing to whoever decides on it, and tells at which revision that was; `None` when there is no such listing, as the decision
/// will say.
async fn look(
    client: &Client,
    decision: proto::Decision,
    name: &proto::ListingName,
    output: Output,
) -> Result<Option<i64>, Problem> {
    let is_reviewed = matches!(decision, proto::Decision::Approve | proto::Decision::Reject);
    if is_reviewed && names::is_live(name) {
        let request = proto::GetReviewRequest {
            name: Some(name.clone()),
        };
        let mut review = StaffReviewServiceClient::new(client.clone());
        let Some(answer) = found(review.get_review(request).await)? else {
            return Ok(None);
        };
        let answer = answer.into_inner();
        output.text(&shown::differences(&answer));
        return Ok(answer.item.map(|item| item.revision));
    }
    let request = proto::GetListingRequest {
        name: Some(name.clone()),
    };
    let mut listings = StaffListingServiceClient::new(client.clone());
    let answer = found(listings.get_listing(request).await)?;
    Ok(answer
        .and_then(|answer| answer.into_inner().listing)
        .map(|listing| listing.revision))
}

/// An answer; `None` when the listing is not there.
fn found<T>(answer: Result<T, Status>) -> Result<Option<T>, Problem> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(status) if !status.details().is_empty() => match Fault::from(status) {
            fault if matches!(fault.code, kit::Code::NotFound | kit::Code::Invalid) => Ok(None),
            fault => Err(fault.into()),
        },
        Err(status) => Err(status.into()),
    }
}

/// Tells what came of each. If one was refused, the status is 1.
fn report(results: Vec<proto::DecideResult>, output: Output) -> Result<(), Problem> {
    let changes: Vec<String> = results
        .iter()
        .filter(|result| !result.differences.is_empty())
        .map(|result| {
            let name = result.name.clone().unwrap_or_default();
            shown::changes(&name, &result.differences)
        })
        .collect();
    let outcomes: Vec<Outcome> = results.into_iter().map(Outcome::from).collect();
    output.answer(&serde_json::json!({ "results": outcomes }), || {
        let rows = outcomes.iter().map(|outcome| {
            let revision = outcome.revision.map(|revision| revision.to_string());
            [
                outcome.kind.clone(),
                outcome.name.clone(),
                outcome.state.to_owned(),
                revision.unwrap_or_default(),
                format!("{}{}", outcome.problem, outcome.note),
            ]
        });
        table(["kind", "name", "state", "revision", "note"], rows)
    })?;
    for change in changes {
        output.text(&change);
    }
    let refused = outcomes.iter().filter(|o| !o.problem.is_empty()).count();
    if refused == 0 {
        return Ok(());
    }
    Err(Problem::Refused(format!(
        "{refused} of {} could not be done: the list says why",
        outcomes.len()
    )))
}

/// A bar on stderr, when that is a terminal and there is more than one call to wait for.
fn bar(count: usize) -> ProgressBar {
    if count <= PORTION {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::try_from(count).unwrap_or(u64::MAX));
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar
}
