//! Errors of the command line. The parser names hidden commands and aliases in two of them, since it knows no other difference; here they
//! name the commands of the help only.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Prints the error of a line, or the help that the line asks for.
pub(crate) fn print(error: Error, root: Command, line: &[OsString]) -> ExitCode {
    let exit_code = u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
    if error.use_stderr() {
        anstream::eprint!("{}", message(error, root, line).ansi());
    } else {
        anstream::print!("{}", error.render().ansi());
    }
    exit_code
}

fn message(mut error: Error, mut root: Command, line: &[OsString]) -> StyledStr {
    root.build();
    let unknown = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.as_str(),
        _ => "",
    };
    let command = find_command(&root, line, unknown);
    if error.kind() == ErrorKind::MissingSubcommand {
        return command.clone().render_help();
    }
    if let Some(ContextValue::Strings(names)) = error.remove(ContextKind::SuggestedSubcommand) {
        let mut shown: Vec<String> = Vec::new();
        for name in names.iter().filter_map(|name| shown_name(command, name)) {
            if !shown.contains(&name) {
                shown.push(name);
            }
        }
        if shown.is_empty() {
            // Its empty list would be printed as an empty line.
            error.remove(ContextKind::Suggested);
        } else {
            error.insert(
                ContextKind::SuggestedSubcommand,
                ContextValue::Strings(shown),
            );
        }
    }
    error.render()
}

/// The command that the words of the line before `unknown` lead to.
fn find_command<'c>(root: &'c Command, line: &[OsString], unknown: &str) -> &'c Command {
    let words = line.iter().skip(1).filter_map(|word| word.to_str());
    let words = words.take_while(|word| *word != unknown);
    words.fold(root, |command, word| {
        command.find_subcommand(word).unwrap_or(command)
    })
}

/// The name that the help has for a subcommand; `None` for a hidden one.
fn shown_name(command: &Command, name: &str) -> Option<String> {
    let found = command.find_subcommand(name)?;
    (!found.is_hide_set()).then(|| found.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::Staff;

    fn said(line: &[&str]) -> String {
        let line: Vec<OsString> = [&["staff", "--token", "t"], line]
            .concat()
            .into_iter()
            .map(OsString::from)
            .collect();
        let error = Staff::try_parse_from(&line).unwrap_err();
        message(error, Staff::command(), &line).to_string()
    }

    #[test]
    fn a_line_without_a_command_gets_the_help() {
        let help = said(&[]);
        assert!(help.contains("\n  game "), "{help}");
        for old in ["creator", "swaps", "webhooks", "take-down", "import"] {
            assert!(!help.contains(&format!("\n  {old} ")), "{old}: {help}");
            assert!(!help.contains(&format!("{old},")), "{old}: {help}");
        }
        let help = said(&["endpoint"]);
        assert!(help.contains("Usage: staff endpoint"), "{help}");
        assert!(!help.contains("\n  deliveries "), "{help}");
    }

    #[test]
    fn a_mistyped_command_gets_no_old_spelling() {
        for (line, expected) in [
            (&["gam"][..], Some("'game'")),
            (&["swapz"], Some("'swap'")),
            (&["completons"], Some("'completion'")),
            (&["webhok"], Some("'endpoint'")),
            (&["member", "rol"], Some("'set-role'")),
            (&["page", "ownrs", "a"], Some("'list-owners'")),
            (&["aprove", "game", "a"], None),
            (&["endpoint", "deliveris"], None),
            (&["frobnicate"], None),
        ] {
            let said = said(line);
            assert!(said.contains("unrecognized subcommand"), "{said}");
            let tip = said.lines().find(|line| line.contains("tip:"));
            match expected {
                Some(name) => assert!(tip.unwrap().ends_with(name), "{line:?}: {said}"),
                None => assert_eq!(tip, None, "{line:?}: {said}"),
            }
            assert!(!said.contains("\n\n\n"), "{line:?}: {said}");
        }
    }
}
