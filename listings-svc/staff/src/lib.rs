//! `staff`: the command-line tool of the service's staff. A client of every service's staff RPCs.
//!
//! A command is a noun and a verb (`staff game restore`), as in `gh` and `kubectl`. The module of a
//! command has the noun's name. Exit status: 0 done, 1 refused by the service, 2 invalid arguments,
//! settings or files, 3 no service answers, 141 nobody reads the output.

mod account;
mod apply;
mod arguments;
mod audit;
mod command_hint;
mod completion;
mod confirm;
mod error;
mod file_lines;
mod fleet;
mod listing;
mod member;
mod output;
mod picture;
mod profile;
mod prompt;
mod review;
mod rpc;
mod sanitize;
mod service;
mod table;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;

use error::Error;
use fleet::{Fleet, FleetOptions};
use listing::name::ListingKind;
use output::Output;
use rpc::command::RpcCommand;

/// Reviews listings, manages accounts, keys and switches, and looks after the economy and votes
///
/// A command is a noun and a verb: `staff game restore SLUG`. Exit status: 0 done, 1 refused by the service, 2 invalid arguments,
/// settings or files, 3 no service answers, 141 nobody reads the output.
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

/// The commands that are more than one call. The contracts have the other commands, of the same nouns too.
#[derive(Debug, Subcommand)]
enum Command {
    #[command(args_conflicts_with_subcommands = true)]
    Review(review::Review),
    /// Accounts, their plans and their people
    #[command(subcommand)]
    Account(account::Command),
    /// Pages of creators: approve, reject, edit, take down, owners
    #[command(subcommand)]
    Page(listing::Verb),
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
    /// Brings accounts, keys, pages, currencies and listings to the state that a file describes
    Apply(apply::Apply),
    Audit(audit::Audit),
    /// Members of staff: a token for a new one
    #[command(subcommand)]
    Member(member::Command),
    /// Prints the completion script of a shell
    ///
    /// For Bash: `source <(staff completion bash)` in ~/.bashrc.
    Completion {
        /// The shell that runs the script
        shell: Shell,
    },
}

/// Runs the command line.
pub fn main() -> ExitCode {
    match rpc::commands().and_then(|rpcs| run(&rpcs)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            error.exit_code()
        }
    }
}

/// The command line: the commands of this program and of the contracts.
fn command_line(rpcs: &[RpcCommand]) -> clap::Command {
    let add = |staff, rpc: &RpcCommand| rpc.add_to(staff, rpcs);
    rpcs.iter().fold(Staff::command(), add)
}

#[tokio::main(flavor = "current_thread")]
async fn run(rpcs: &[RpcCommand]) -> Result<(), Error> {
    let matches = command_line(rpcs).get_matches();
    if let Some((rpc, arguments)) = rpc::find(rpcs, &matches) {
        let options = FleetOptions::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        let fleet = find_fleet(&options)?;
        let output = Output::new(matches.get_flag("json"));
        return rpc.run(arguments, &fleet, output).await;
    }
    run_own(rpcs, &matches).await
}

async fn run_own(rpcs: &[RpcCommand], matches: &ArgMatches) -> Result<(), Error> {
    let staff = Staff::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
    if let Command::Completion { shell } = staff.command {
        completion::print_script(shell, command_line(rpcs));
        return Ok(());
    }
    let output = Output::new(staff.json);
    if let Command::Member(command) = staff.command {
        return member::run(command, output);
    }
    let fleet = find_fleet(&staff.fleet)?;
    match staff.command {
        Command::Review(review) => review::run(review, &fleet, output).await,
        Command::Account(command) => account::run(command, &fleet, output).await,
        Command::Page(verb) => listing::run_verb(ListingKind::Page, verb, &fleet, output).await,
        Command::Game(verb) => listing::run_verb(ListingKind::Game, verb, &fleet, output).await,
        Command::Event(verb) => listing::run_verb(ListingKind::Event, verb, &fleet, output).await,
        Command::Listing(command) => listing::run(command, &fleet, output).await,
        Command::Picture(command) => picture::run(command, &fleet, output).await,
        Command::Apply(apply) => apply::run(apply, &fleet, output).await,
        Command::Audit(audit) => audit::run(audit, &fleet, output).await,
        // They need no fleet and have returned above.
        Command::Member(_) | Command::Completion { .. } => Ok(()),
    }
}

fn find_fleet(options: &FleetOptions) -> Result<Fleet, Error> {
    let fleet = Fleet::find(options)?;
    if let Some(remark) = fleet.unused_token() {
        output::note(&remark);
    }
    Ok(fleet)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command_line(&rpc::commands().unwrap()).debug_assert();
    }

    /// Lists the commands below a command, each with the words that call it.
    fn commands<'c>(command: &'c clap::Command, path: &str) -> Vec<(String, &'c clap::Command)> {
        let mut found = Vec::new();
        for inner in command.get_subcommands() {
            let path = format!("{path}{} ", inner.get_name());
            let below = commands(inner, &path);
            found.push((path, inner));
            found.extend(below);
        }
        found
    }

    #[test]
    fn each_command_has_a_description_of_its_own_in_one_line_and_each_argument_has_one() {
        let staff = command_line(&rpc::commands().unwrap());
        let mut described = HashMap::new();
        for (path, command) in commands(&staff, "") {
            for argument in command.get_arguments().filter(|it| !it.is_hide_set()) {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                // Each part of it says something.
                let mut parts = help.split("; ").flat_map(|part| part.split(": "));
                assert!(parts.all(|part| !part.trim().is_empty()), "{path}{argument}: {help}");
            }
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let length = about.chars().count();
            assert!((1..=100).contains(&length), "{path}: {length}: {about}");
            assert!(!about.contains('\n'), "{path}: {about}");
            // Pages, games and events have the same verbs, and `list` is the search within a kind.
            let verb = path
                .replace("page ", "game ")
                .replace("event ", "game ")
                .replace("listing search", "game list");
            let other = described.entry(about).or_insert_with(|| verb.clone());
            assert_eq!(*other, verb);
        }
    }
}
