//! `staff event …`

use clap::Subcommand;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::listing::change::{Reassign, reassign};
use crate::listing::name::ListingKind;
use crate::listing::{self, Verb};
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Verb(Verb),
    /// Give an event to another account
    Reassign(Reassign),
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    match command {
        Command::Verb(verb) => listing::run_verb(ListingKind::Event, verb, fleet, output).await,
        Command::Reassign(to) => reassign(ListingKind::Event, to, fleet, output).await,
    }
}
