//! `staff`: the command-line tool of the service's staff. A client of every service's staff RPCs.
//!
//! A command is a noun and a verb (`staff game approve`), as in `gh` and `kubectl`. The module of a command has the noun's name.
//! Exit status: 0 done, 1 refused by the service, 2 invalid arguments, settings or files, 3 no service answers.

mod account;
mod apply;
mod arguments;
mod audit;
mod claim;
mod command_hint;
mod completion;
mod confirm;
mod currency;
mod error;
mod file_lines;
mod fleet;
mod key;
mod key_request;
mod listing;
mod login;
mod member;
mod output;
mod page;
mod person;
mod picture;
mod plan;
mod profile;
mod prompt;
mod report;
mod review;
mod rows;
mod sanitize;
mod service;
mod swap;
mod switch;
mod table;
mod team;
mod tip;
mod vote;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

use error::Error;
use fleet::{Fleet, FleetOptions};
use listing::name::ListingKind;
use output::Output;

/// Review listings, manage accounts, keys and switches, and look after the economy and votes
///
/// A command is a noun and a verb: `staff game approve SLUG`. Exit status: 0 done, 1 refused by the service, 2 invalid arguments,
/// settings or files, 3 no service answers.
#[derive(Debug, Parser)]
#[command(name = "staff", version, max_term_width = 100)]
struct Staff {
    #[command(flatten)]
    fleet: FleetOptions,
    /// Print one JSON document instead of tables
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Review pending listings one by one, or list them
    Review(review::Review),
    /// Pages of creators: approve, reject, edit, take down, owners
    #[command(subcommand)]
    Page(page::Command),
    /// Games: approve, reject, edit, take down
    #[command(subcommand)]
    Game(listing::Verb),
    /// Events: approve, reject, edit, take down
    #[command(subcommand)]
    Event(listing::Verb),
    /// Listings of every kind: search, import from files
    #[command(subcommand)]
    Listing(listing::Command),
    /// Pictures of listings: covers, avatars, screenshots
    #[command(subcommand)]
    Picture(picture::Command),
    /// Claims: accounts that ask to own a page
    #[command(subcommand)]
    Claim(claim::Command),
    /// Accounts: create, invite an owner, list, show with what they use, set the plan
    #[command(subcommand)]
    Account(account::Command),
    /// People who sign in to the dashboard: show, end the second factor of one who has lost the phone
    #[command(subcommand)]
    Person(person::Command),
    /// Plans and their limits
    #[command(subcommand)]
    Plan(plan::Command),
    /// Keys: create, review requests for live keys, list, rotate, revoke
    #[command(subcommand)]
    Key(KeyCommand),
    /// Switches that turn parts of the API off: list, set
    #[command(subcommand)]
    Switch(switch::Command),
    /// Currencies of games: register, rename, list
    #[command(subcommand)]
    Currency(currency::Command),
    /// Economy reports: list held ones, approve, reject
    #[command(subcommand)]
    Report(report::Command),
    /// Tips of players: list
    #[command(subcommand)]
    Tip(tip::Command),
    /// Swaps between currencies: list, import, remove
    #[command(subcommand)]
    Swap(swap::Command),
    /// Votes on ranking boards: list, void, restore
    #[command(subcommand)]
    Vote(vote::Command),
    /// Members of staff: add, list, set the role, revoke
    #[command(subcommand)]
    Member(member::Command),
    /// Bring accounts, keys, pages, currencies and listings to the state that a file describes
    Apply(apply::Apply),
    /// The audit log: what members of staff did
    Audit(audit::Audit),
    /// Show which member of staff the token belongs to, its role, and when the token expires
    Whoami,
    /// Replace your token by a new one, and keep it in your profile
    ///
    /// The token of a member expires after some time (90 days by default); the old one stops working when it is replaced. Put a token that an
    /// admin gave you into your profile first: then only you have seen the new one.
    Login,
    /// Print a completion script, which also completes slugs
    ///
    /// For Bash: `source <(staff completion bash)` in ~/.bashrc. The script calls `staff` while you type; print the script again after an
    /// upgrade of `staff`.
    Completion { shell: Shell },
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    #[command(flatten)]
    Key(key::Command),
    #[command(flatten)]
    Request(key_request::Command),
}

/// Runs the command line, or completes it for a shell.
pub fn main() -> ExitCode {
    completion::complete();
    match run(Staff::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            error.exit_code()
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn run(staff: Staff) -> Result<(), Error> {
    if let Command::Completion { shell } = staff.command {
        return completion::print_script(shell);
    }
    let fleet = Fleet::find(&staff.fleet)?;
    if let Some(remark) = fleet.unused_token() {
        output::note(&remark);
    }
    let output = Output::new(staff.json);
    match staff.command {
        Command::Review(review) => review::run(review, &fleet, output).await,
        Command::Page(command) => page::run(command, &fleet, output).await,
        Command::Game(verb) => listing::run_verb(ListingKind::Game, verb, &fleet, output).await,
        Command::Event(verb) => listing::run_verb(ListingKind::Event, verb, &fleet, output).await,
        Command::Listing(command) => listing::run(command, &fleet, output).await,
        Command::Picture(command) => picture::run(command, &fleet, output).await,
        Command::Claim(command) => claim::run(command, &fleet, output).await,
        Command::Account(command) => account::run(command, &fleet, output).await,
        Command::Person(command) => person::run(command, &fleet, output).await,
        Command::Plan(plan::Command::List) => plan::list(&fleet, output).await,
        Command::Key(KeyCommand::Key(command)) => key::run(command, &fleet, output).await,
        Command::Key(KeyCommand::Request(command)) => {
            key_request::run(command, &fleet, output).await
        }
        Command::Switch(command) => switch::run(command, &fleet, output).await,
        Command::Currency(command) => currency::run(command, &fleet, output).await,
        Command::Report(command) => report::run(command, &fleet, output).await,
        Command::Tip(command) => tip::run(command, &fleet, output).await,
        Command::Swap(command) => swap::run(command, &fleet, output).await,
        Command::Vote(command) => vote::run(command, &fleet, output).await,
        Command::Member(command) => member::run(command, &fleet, output).await,
        Command::Apply(apply) => apply::run(apply, &fleet, output).await,
        Command::Audit(audit) => audit::run(audit, &fleet, output).await,
        Command::Whoami => member::whoami(&fleet, output).await,
        Command::Login => login::run(&fleet, output).await,
        // It needs no fleet and has returned above.
        Command::Completion { .. } => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Staff::command().debug_assert();
    }

    #[test]
    fn a_bad_id_or_number_says_what_it_is_and_where_to_find_it() {
        for (line, hint) in [
            (&["report", "approve", "x"][..], "`staff report list`"),
            (&["report", "reject", "0"], "number of a held report"),
            (
                &["game", "approve", "a", "--revision", "x"],
                "staff game show",
            ),
            (&["page", "edit", "a", "--revision", "0"], "1 or more"),
            (
                &["picture", "add-screenshot", "a", "b", "--place", "x"],
                "0 is the first",
            ),
            (&["key", "approve", "x"], "staff key pending"),
            (&["key", "revoke", "x"], "staff key list --account"),
            (&["claim", "grant", "x"], "staff claim list"),
        ] {
            let line = [&["staff"], line].concat();
            let sentence = Staff::try_parse_from(&line).unwrap_err().to_string();
            assert!(sentence.contains(hint), "{line:?}: {sentence}");
            assert!(!sentence.contains("invalid digit"), "{line:?}: {sentence}");
        }
    }
}
