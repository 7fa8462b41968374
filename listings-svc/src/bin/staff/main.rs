//! `staff`: what people of the service do from a terminal. A client of the staff calls of gateway and listings-svc.
//!
//! Status: 0 done, 1 refused by the service, 2 not understood (arguments, settings, files), 3 nothing answers.

mod account;
mod fleet;
mod import;
mod key;
mod key_request;
mod lines;
mod listing;
mod output;
mod picture;
mod plan;
mod problem;
mod switch;
mod upload;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use fleet::{Fleet, Place};
use output::Output;
use problem::Problem;

/// Accounts, keys, switches and the directory, by staff
///
/// Status: 0 done, 1 refused, 2 not understood, 3 nothing answers.
#[derive(Debug, Parser)]
#[command(name = "staff", version, max_term_width = 100)]
struct Staff {
    #[command(flatten)]
    place: Place,
    /// Write one JSON document instead of tables
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Accounts: make, list, change the plan
    #[command(subcommand)]
    Account(account::Command),
    /// Plans and their limits
    #[command(subcommand)]
    Plan(plan::Command),
    /// Keys: make, review, reveal, list, rotate, revoke
    #[command(subcommand)]
    Key(key::Command),
    /// Switches: list, turn on, turn off
    #[command(subcommand)]
    Switch(switch::Command),
    #[command(flatten)]
    Listing(listing::Command),
    /// Pictures of listings: covers, avatars, screenshots
    #[command(subcommand)]
    Picture(picture::Command),
    /// Load files of listings
    ///
    /// Files hold one JSON object a line. A row that is not acceptable is refused, and listed with its line and reasons; the others
    /// are loaded, and the status is 0. Loading a file again changes nothing; a load that was broken off goes on where it stopped.
    Import(import::Import),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let staff = Staff::parse();
    match run(staff).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            output::complain(&problem);
            problem.exit_code()
        }
    }
}

async fn run(staff: Staff) -> Result<(), Problem> {
    let fleet = Fleet::find(&staff.place)?;
    let output = Output::new(staff.json);
    match staff.command {
        Command::Account(command) => account::run(command, &fleet, output).await,
        Command::Plan(plan::Command::List) => plan::list(&fleet, output).await,
        Command::Key(command) => key::run(command, &fleet, output).await,
        Command::Switch(command) => switch::run(command, &fleet, output).await,
        Command::Listing(command) => listing::run(command, &fleet, output).await,
        Command::Picture(command) => picture::run(command, &fleet, output).await,
        Command::Import(import) => import::run(import, &fleet, output).await,
    }
}
