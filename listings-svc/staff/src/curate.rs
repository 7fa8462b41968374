//! `staff edit`, `feature`, `unfeature`, `reassign` and `search`

use std::num::NonZeroUsize;

use clap::{Subcommand, ValueEnum};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use super::account;
use super::arguments::rows;
use super::fleet::Fleet;
use super::listing;
use super::names::{self, Kind, LiveName};
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

/// Rows asked for at once.
const PAGE: i32 = 100;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Change what a live listing says
    Edit {
        #[command(flatten)]
        name: LiveName,
        /// The fields that change, as a JSON object, as files of this kind have them; null clears a field
        #[arg(long, value_name = "JSON")]
        changes: String,
        /// Why, for the record
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// List a game first
    Feature {
        /// Its slug
        slug: String,
    },
    /// List a game first no longer
    Unfeature {
        /// Its slug
        slug: String,
    },
    /// Give an event to another account, or a game to another page
    Reassign {
        #[command(flatten)]
        name: LiveName,
        /// The id or e-mail address of an account, or the handle of a page
        #[arg(long)]
        to: String,
        /// Why, for the record
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Find live listings by a part of their slug, handle, title or name
    Search {
        /// The part; all when it is left out
        #[arg(default_value = "", hide_default_value = true)]
        text: String,
        /// Only of this kind
        #[arg(long)]
        kind: Option<Kind>,
        /// Only those that stand so
        #[arg(long)]
        state: Option<State>,
        /// Rows at most
        #[arg(long, default_value = "100", value_parser = rows)]
        limit: NonZeroUsize,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum State {
    Pending,
    Published,
    Rejected,
    Removed,
}

#[derive(Debug, Serialize)]
struct Found {
    kind: String,
    name: String,
    title: String,
    state: &'static str,
    revision: i64,
    submitter: String,
    updated_at: Option<Timestamp>,
}

impl From<proto::FoundListing> for Found {
    fn from(found: proto::FoundListing) -> Self {
        let name = found.name.clone().unwrap_or_default();
        Self {
            state: names::state(found.state()),
            kind: name.kind,
            name: name.name,
            title: found.title,
            revision: found.revision,
            submitter: found.submitter,
            updated_at: output::moment(found.updated_at),
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
    let featured = matches!(command, Command::Feature { .. });
    let changed = match command {
        Command::Edit {
            name,
            changes,
            reason,
        } => {
            let request = proto::EditRequest {
                name: Some(name.into()),
                changes,
                reason,
                revision: None,
            };
            review.edit(request).await?.into_inner().listing
        }
        Command::Feature { slug } | Command::Unfeature { slug } => {
            let kind = Kind::Game;
            let request = proto::FeatureRequest {
                name: Some(LiveName { kind, slug }.into()),
                featured,
            };
            review.feature(request).await?.into_inner().listing
        }
        Command::Reassign { name, to, reason } => {
            let to = match name.kind {
                Kind::Event => account::id(fleet, to).await?,
                Kind::Game | Kind::Creator => to,
            };
            let request = proto::ReassignRequest {
                name: Some(name.into()),
                to,
                reason,
            };
            review.reassign(request).await?.into_inner().listing
        }
        Command::Search {
            text,
            kind,
            state,
            limit,
        } => {
            let state = state.map_or(proto::State::Unspecified, |state| match state {
                State::Pending => proto::State::Pending,
                State::Published => proto::State::Published,
                State::Rejected => proto::State::Rejected,
                State::Removed => proto::State::Removed,
            });
            let limit = limit.get();
            let mut found = Vec::new();
            let mut cursor = String::new();
            while found.len() < limit {
                let rest = i32::try_from(limit - found.len()).unwrap_or(PAGE);
                let request = proto::SearchRequest {
                    text: text.clone(),
                    kind: kind.map_or("", Kind::as_str).to_owned(),
                    state: state.into(),
                    limit: rest.clamp(1, PAGE),
                    cursor,
                };
                let answer = review.search(request).await?.into_inner();
                found.extend(answer.listings.into_iter().map(Found::from));
                cursor = answer.next_cursor;
                if cursor.is_empty() {
                    break;
                }
            }
            let more = !cursor.is_empty();
            let document = serde_json::json!({ "listings": found, "more": more });
            output.answer(&document, || listed(&found))?;
            if more {
                output.say("there are more: narrow the search, or raise --limit");
            }
            return Ok(());
        }
    };
    listing::answer(changed, output)
}

fn listed(found: &[Found]) -> comfy_table::Table {
    let rows = found.iter().map(|one| {
        [
            one.kind.clone(),
            one.name.clone(),
            one.title.clone(),
            one.state.to_owned(),
            one.revision.to_string(),
            output::shown(one.updated_at.as_ref()),
        ]
    });
    table(
        ["kind", "name", "title", "state", "revision", "changed"],
        rows,
    )
}
