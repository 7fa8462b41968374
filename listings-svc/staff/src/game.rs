//! `staff game …`

use clap::Subcommand;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::change::{Reassign, feature, reassign};
use crate::listing::name::ListingKind;
use crate::listing::{self, Verb};
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Verb(Verb),
    /// Feature a published game: lists show featured games first
    Feature {
        /// The slug of the game
        slug: String,
    },
    /// Stop featuring a game
    Unfeature {
        /// The slug of the game
        slug: String,
    },
    /// Give a game to another page
    Reassign(Reassign),
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    match command {
        Command::Verb(verb) => listing::run_verb(ListingKind::Game, verb, fleet, output).await,
        Command::Feature { slug } => feature(slug, true, fleet, output).await,
        Command::Unfeature { slug } => feature(slug, false, fleet, output).await,
        Command::Reassign(to) => reassign(ListingKind::Game, to, fleet, output).await,
    }
}
