//! `staff approve`, `staff reject`, and taking many down

use clap::Subcommand;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::fleet::Fleet;
use super::names::{self, LiveNames};
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

/// Listings decided on in one call.
const PORTION: usize = 50;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Approve listings that wait for their review: they are public at once
    Approve {
        #[command(flatten)]
        names: LiveNames,
    },
    /// Reject listings that wait for their review
    Reject {
        #[command(flatten)]
        names: LiveNames,
        /// Why, for whoever sent them in; up to 500 characters
        #[arg(long)]
        reason: String,
    },
}

/// What came of one of them.
#[derive(Debug, Serialize)]
struct Outcome {
    kind: String,
    name: String,
    /// Where it stands now; empty when nothing was done.
    state: &'static str,
    problem: String,
    note: String,
}

impl From<proto::DecideResult> for Outcome {
    fn from(result: proto::DecideResult) -> Self {
        let name = result.name.unwrap_or_default();
        Self {
            kind: name.kind,
            name: name.name,
            state: result.listing.map_or("", |l| names::state(l.state())),
            problem: result.problem,
            note: result.note,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let (decision, names, reason) = match command {
        Command::Approve { names } => (proto::Decision::Approve, names, String::new()),
        Command::Reject { names, reason } => (proto::Decision::Reject, names, reason),
    };
    many(fleet, output, decision, names.into_messages(), reason).await
}

/// Decides on listings, each by itself. Those that cannot be are named, and the status is 1.
pub(crate) async fn many(
    fleet: &Fleet,
    output: Output,
    decision: proto::Decision,
    names: Vec<proto::ListingName>,
    reason: String,
) -> Result<(), Problem> {
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let bar = bar(names.len());
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(names.len());
    for portion in names.chunks(PORTION) {
        let request = proto::DecideManyRequest {
            decision: decision.into(),
            names: portion.to_vec(),
            reason: reason.clone(),
        };
        let answer = review.decide_many(request).await;
        let answer = answer.inspect_err(|_| {
            bar.finish_and_clear();
            if !outcomes.is_empty() {
                output::note(&format!("the first {} were dealt with", outcomes.len()));
            }
        })?;
        outcomes.extend(answer.into_inner().results.into_iter().map(Outcome::from));
        bar.inc(u64::try_from(portion.len()).unwrap_or(u64::MAX));
    }
    bar.finish_and_clear();
    output.answer(&serde_json::json!({ "results": outcomes }), || {
        let rows = outcomes.iter().map(|outcome| {
            let note = format!("{}{}", outcome.problem, outcome.note);
            [
                outcome.kind.clone(),
                outcome.name.clone(),
                outcome.state.to_owned(),
                note,
            ]
        });
        table(["kind", "name", "state", "note"], rows)
    })?;
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
