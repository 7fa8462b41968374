//! Shell completion. The script of a shell calls `staff` with `COMPLETE` set; slugs come from listings-svc.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use clap::{Command, CommandFactory as _, FromArgMatches as _, ValueEnum as _};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;

use crate::Staff;
use crate::error::Error;
use crate::fleet::{Fleet, FleetOptions};
use crate::listing::name::ListingKind;
use crate::output;

/// The variable by which a script asks for completions.
const VARIABLE: &str = "COMPLETE";
/// Time that the fleet has to answer: a shell waits for it.
const DEADLINE: Duration = Duration::from_secs(2);
/// Slugs that are offered at most: the limit of one search.
const CANDIDATES: i32 = 100;

/// Answers a script and exits, when a script is what calls.
pub(crate) fn complete() {
    CompleteEnv::with_factory(|| with_slugs(Staff::command(), None))
        .var(VARIABLE)
        .complete();
}

/// Prints the script of a shell.
pub(crate) fn print_script(shell: Shell) -> Result<(), Error> {
    let shell = shell.to_string();
    let unwritable =
        |error: std::io::Error| Error::usage(format!("the script cannot be written: {error}"));
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let completer = shells
        .completer(&shell)
        .ok_or_else(|| Error::usage(format!("{shell} has no completion")))?;
    completer
        .write_registration(VARIABLE, "staff", "staff", &program(), &mut script)
        .map_err(unwritable)?;
    output::bytes(&script)
}

/// This program as the script calls it: by its name when the shell finds it in PATH, else by its path.
fn program() -> String {
    let called = env::args_os().next().unwrap_or_else(|| "staff".into());
    let path = Path::new(&called);
    let absolute = if path.components().count() > 1 {
        env::current_dir().map_or_else(|_| path.to_owned(), |folder| folder.join(path))
    } else {
        path.to_owned()
    };
    absolute.to_string_lossy().into_owned()
}

/// Gives every argument that takes a slug or a handle its completer. `slug` and `slugs` are of the noun before them.
fn with_slugs(command: Command, noun: Option<ListingKind>) -> Command {
    let named = ListingKind::from_str(command.get_name(), false);
    let noun = named.ok().or(noun);
    command
        .mut_args(|arg| match (arg.get_id().as_str(), noun) {
            ("game", _) => arg.add(completer(ListingKind::Game)),
            ("page", _) => arg.add(completer(ListingKind::Page)),
            ("slug" | "slugs", Some(kind)) => arg.add(completer(kind)),
            _ => arg,
        })
        .mut_subcommands(|command| with_slugs(command, noun))
}

fn completer(kind: ListingKind) -> ArgValueCompleter {
    ArgValueCompleter::new(move |prefix: &OsStr| {
        let prefix = prefix.to_str().unwrap_or_default();
        // Nobody reads an error while typing: without an answer there is nothing to offer.
        let slugs = slugs(kind, prefix, env::args_os().collect()).unwrap_or_default();
        slugs.into_iter().map(CompletionCandidate::new).collect()
    })
}

#[tokio::main(flavor = "current_thread")]
async fn slugs(kind: ListingKind, prefix: &str, line: Vec<OsString>) -> Result<Vec<String>, Error> {
    let fleet = Fleet::find(&options(line))?;
    let search = async {
        let mut review = StaffReviewServiceClient::new(fleet.listings().await?);
        let request = proto::SearchRequest {
            text: prefix.to_owned(),
            kind: kind.as_str().to_owned(),
            from_name: prefix.to_owned(),
            limit: CANDIDATES,
            ..proto::SearchRequest::default()
        };
        Ok::<_, Error>(review.search(request).await?.into_inner().listings)
    };
    let listings = tokio::time::timeout(DEADLINE, search).await;
    let listings = listings.unwrap_or_else(|_| Ok(Vec::new()))?;
    let names = listings.into_iter().filter_map(|it| Some(it.name?.name));
    Ok(names.filter(|name| name.starts_with(prefix)).collect())
}

/// The options of the line so far that say where the fleet is. `line` is `staff -- staff …`, as a script calls it.
fn options(line: Vec<OsString>) -> FleetOptions {
    let typed = line.into_iter().skip_while(|word| word != "--").skip(1);
    // The line is not finished: a required argument may be missing.
    let matches = Staff::command()
        .ignore_errors(true)
        .try_get_matches_from(typed);
    matches
        .ok()
        .and_then(|matches| FleetOptions::from_arg_matches(&matches).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_from_a_line_that_is_not_finished() {
        let line = "staff -- staff --profile a.toml game approve";
        let options = options(line.split(' ').map(OsString::from).collect());
        assert_eq!(options.profile.as_deref(), Some(Path::new("a.toml")));
    }

    #[test]
    fn every_verb_of_a_noun_completes_its_slugs() {
        let command = with_slugs(Staff::command(), None);
        let mut completed = Vec::new();
        collect(&command, "", &mut completed);
        for expected in [
            "game approve slugs",
            "game edit slug",
            "page restore slugs",
            "page add-owner page",
            "event restore slugs",
            "currency set game",
            "key create game",
        ] {
            assert!(completed.iter().any(|it| it == expected), "{completed:?}");
        }
    }

    fn collect(command: &Command, path: &str, completed: &mut Vec<String>) {
        for arg in command.get_arguments() {
            if arg.get::<ArgValueCompleter>().is_some() {
                completed.push(format!("{path}{}", arg.get_id()));
            }
        }
        for sub in command.get_subcommands() {
            let path = format!("{path}{} ", sub.get_name());
            collect(sub, &path, completed);
        }
    }
}
