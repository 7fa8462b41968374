//! `staff`: what people of the service do from a terminal. A client of the staff calls of every service.
//!
//! Status: 0 done, 1 refused by the service, 2 not understood (arguments, settings, files), 3 nothing answers.

mod account;
mod arguments;
mod audit;
mod catalogue;
mod curate;
mod currency;
mod decide;
mod fleet;
mod import;
mod key;
mod key_request;
mod lines;
mod listing;
mod member;
mod names;
mod output;
mod page;
mod picture;
mod plain;
mod plan;
mod problem;
mod profile;
mod report;
mod review;
mod shown;
mod swap;
mod switch;
mod table;
mod upload;
mod vote;
mod webhook;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

use fleet::{Fleet, Place};
use output::Output;
use problem::Problem;

/// Accounts, keys, switches, the review, the directory, the economy, votes and webhooks, by staff
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
    Key(OfKeys),
    /// Switches: list, turn on, turn off
    #[command(subcommand)]
    Switch(switch::Command),
    #[command(flatten)]
    Listing(listing::Command),
    /// Pages: their owners, and claims of them
    #[command(subcommand)]
    Page(page::Command),
    Review(review::Review),
    #[command(flatten)]
    Decide(decide::Command),
    #[command(flatten)]
    Curate(curate::Command),
    Audit(audit::Audit),
    /// The staff by name: add, list, change the role, revoke
    #[command(subcommand)]
    Member(member::Command),
    /// Write the completions of a shell, to be sourced by it
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Pictures of listings: covers, avatars, screenshots
    #[command(subcommand)]
    Picture(picture::Command),
    /// Currencies of games: register, rename, list
    #[command(subcommand)]
    Currency(currency::Command),
    /// Reports of games that are held: list, approve, reject
    #[command(subcommand)]
    Report(report::Command),
    /// Swaps between currencies: load their history
    #[command(subcommand, alias = "swaps")]
    Swap(swap::Command),
    /// The catalogue: everything that is public
    #[command(subcommand)]
    Catalogue(catalogue::Command),
    /// Votes on ranking boards: those that look bought, void, restore
    #[command(subcommand)]
    Vote(vote::Command),
    /// Webhooks: endpoints and their deliveries
    #[command(subcommand, alias = "webhook")]
    Webhooks(webhook::Command),
    /// Load files of listings
    ///
    /// Files hold one JSON object a line. A row that is not acceptable is refused, and listed with its line and reasons; the others
    /// are loaded, and the status is 0; it is 1 when every row of a file is refused. Loading a file again changes nothing; a load that
    /// was broken off goes on where it stopped.
    Import(import::Import),
}

#[derive(Debug, Subcommand)]
enum OfKeys {
    #[command(flatten)]
    Key(key::Command),
    #[command(flatten)]
    Request(key_request::Command),
}

/// Does what the command line asks for.
#[tokio::main(flavor = "current_thread")]
pub async fn main() -> ExitCode {
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
    if let Command::Completions { shell } = staff.command {
        output::completions(shell, &mut Staff::command());
        return Ok(());
    }
    let fleet = Fleet::find(&staff.place)?;
    let output = Output::new(staff.json);
    match staff.command {
        Command::Account(command) => account::run(command, &fleet, output).await,
        Command::Plan(plan::Command::List) => plan::list(&fleet, output).await,
        Command::Key(OfKeys::Key(command)) => key::run(command, &fleet, output).await,
        Command::Key(OfKeys::Request(command)) => key_request::run(command, &fleet, output).await,
        Command::Switch(command) => switch::run(command, &fleet, output).await,
        Command::Listing(command) => listing::run(command, &fleet, output).await,
        Command::Page(command) => page::run(command, &fleet, output).await,
        Command::Review(review) => review::run(review, &fleet, output).await,
        Command::Decide(command) => decide::run(command, &fleet, output).await,
        Command::Curate(command) => curate::run(command, &fleet, output).await,
        Command::Audit(audit) => audit::run(audit, &fleet, output).await,
        Command::Member(command) => member::run(command, &fleet, output).await,
        // They need no fleet.
        Command::Completions { .. } => Ok(()),
        Command::Picture(command) => picture::run(command, &fleet, output).await,
        Command::Currency(command) => currency::run(command, &fleet, output).await,
        Command::Report(command) => report::run(command, &fleet, output).await,
        Command::Catalogue(command) => catalogue::run(command, &fleet, output).await,
        Command::Vote(command) => vote::run(command, &fleet, output).await,
        Command::Webhooks(command) => webhook::run(command, &fleet, output).await,
        Command::Swap(command) => swap::run(command, &fleet, output).await,
        Command::Import(import) => import::run(import, &fleet, output).await,
    }
}
