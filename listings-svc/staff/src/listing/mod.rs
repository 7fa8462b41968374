//! Listings: pages, games and events. The verbs that all of them have, and `staff listing …` for commands across kinds.

mod decide;
mod edit;
mod history;
pub(crate) mod import;
pub(crate) mod name;
pub(crate) mod review_text;
mod upload;

use clap::Subcommand;
use contracts::listings::v1::Decision;

use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;
use name::ListingKind;

/// `staff listing …`
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Imports files of listings
    ///
    /// A file holds one JSON object a line. A row creates a record, which is public at once and is
    /// not announced by webhooks. A record that exists stays as it is; a sample (--mode test) is
    /// replaced whole, until a release with other samples. The service refuses an unacceptable row
    /// and lists it with its line and reasons; it loads the other rows, and the exit status is 0.
    /// The status is 1 when every row of a file is refused. Importing a file again completes an
    /// import that was interrupted.
    Import(import::Import),
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let Command::Import(import) = command;
    import::run(import, fleet, output).await
}

/// The verbs that pages, games and events have in common.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Approves a pending listing at the revision that you reviewed: it is public at once
    ///
    /// For programs; `staff review` shows listings on a terminal and asks. When the listing has changed since, the approval is refused and the
    /// change is shown.
    Approve(decide::Target),
    /// Rejects a pending listing at the revision that you reviewed, with a reason for its submitter
    ///
    /// For programs, like `approve`. The submitter may submit it again.
    Reject {
        #[command(flatten)]
        target: decide::Target,
        /// The reason that the submitter reads; up to 500 characters
        #[arg(long)]
        reason: String,
    },
    /// Takes published listings down: reads answer 404, and their slugs stay taken
    ///
    /// The games of a page that is taken down are hidden too. The keys of a game that is taken down stop working. A change by its account
    /// does not stop the takedown.
    TakeDown {
        #[command(flatten)]
        slugs: name::Slugs,
        /// The reason that the owners read; up to 500 characters
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
    /// Restores listings that were taken down: they are public again, a game only if its page is public
    Restore {
        #[command(flatten)]
        slugs: name::Slugs,
        /// The reason, for the record; up to 500 characters
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Shows a listing in any state: its fields, and its revisions with what each changed
    ///
    /// With --revision, the fields as of that revision and what has changed since, before you
    /// return to it with `revert`. A page of the history has 100 revisions; --revision N begins at
    /// revision N.
    Review(history::History),
    /// Changes fields of a live listing, in your editor or from JSON
    ///
    /// Without --changes and --file, the listing opens as JSON in $VISUAL, $EDITOR or vi; the fields that you change there are sent. The
    /// edit is refused when somebody else changed the listing while it was open. Only admins change `featured`, `verified`, the `creator` of
    /// a game, which moves it to another page, and the `account` of an event: an id, or the e-mail address of a person who belongs to no other
    /// account.
    Edit(edit::Edit),
}

pub(crate) async fn run_verb(
    kind: ListingKind,
    verb: Verb,
    fleet: &Fleet,
    output: Output,
) -> Result<(), Error> {
    let request = |decision, slugs: name::Slugs, reason| decide::Request {
        decision,
        names: slugs.into_names(kind),
        revision: None,
        reason,
    };
    let request = match verb {
        Verb::Edit(edit) => return edit::run(kind, edit, fleet, output).await,
        Verb::Review(history) => return history::run(kind, history, fleet, output).await,
        Verb::Approve(target) => target.request(Decision::Approve, kind, String::new()),
        Verb::Reject { target, reason } => target.request(Decision::Reject, kind, reason),
        Verb::TakeDown { slugs, reason, confirmation } => {
            decide::confirm_takedown(kind, &slugs.slugs, confirmation).await?;
            request(Decision::TakeDown, slugs, reason)
        }
        Verb::Restore { slugs, reason } => request(Decision::Restore, slugs, reason),
    };
    decide::run(request, fleet, output).await
}
