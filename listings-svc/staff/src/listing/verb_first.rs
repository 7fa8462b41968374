//! The old spelling of commands on listings, with the verb first: `staff approve game SLUG`. Hidden aliases.

use clap::{Args, Subcommand};

use super::name::ListingKind;
use super::{Verb, decide, edit, feature, import, reassign, search, show};
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(hide = true)]
    Show(OfKind<show::Show>),
    #[command(hide = true)]
    Approve(OfKind<decide::Approve>),
    #[command(hide = true)]
    Reject(OfKind<decide::Reject>),
    #[command(hide = true)]
    TakeDown(OfKind<decide::TakeDown>),
    #[command(hide = true)]
    Restore(OfKind<decide::Restore>),
    #[command(hide = true)]
    Edit(OfKind<edit::Edit>),
    #[command(hide = true)]
    Reassign(OfKind<reassign::Reassign>),
    #[command(hide = true)]
    Feature { slug: String },
    #[command(hide = true)]
    Unfeature { slug: String },
    #[command(hide = true)]
    Search(search::Search),
    #[command(hide = true)]
    Import(import::Import),
}

/// The kind of listing, then what the verb takes.
#[derive(Debug, Args)]
pub(crate) struct OfKind<A: Args> {
    kind: ListingKind,
    #[command(flatten)]
    args: A,
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let (kind, verb) = match command {
        Command::Show(OfKind { kind, args }) => (kind, Verb::Show(args)),
        Command::Approve(OfKind { kind, args }) => (kind, Verb::Approve(args)),
        Command::Reject(OfKind { kind, args }) => (kind, Verb::Reject(args)),
        Command::TakeDown(OfKind { kind, args }) => (kind, Verb::TakeDown(args)),
        Command::Restore(OfKind { kind, args }) => (kind, Verb::Restore(args)),
        Command::Edit(OfKind { kind, args }) => (kind, Verb::Edit(args)),
        Command::Reassign(OfKind { kind, args }) => {
            return reassign::run(kind, args, fleet, output).await;
        }
        Command::Feature { slug } => return feature::run(slug, true, fleet, output).await,
        Command::Unfeature { slug } => return feature::run(slug, false, fleet, output).await,
        Command::Search(search) => return search::run(search, fleet, output).await,
        Command::Import(import) => return import::run(import, fleet, output).await,
    };
    super::run_verb(kind, verb, fleet, output).await
}
