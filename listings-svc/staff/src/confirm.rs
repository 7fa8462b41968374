//! The question before a change that is hard to undo.

use clap::Args;

use crate::error::Error;
use crate::prompt;

/// Names in a question at most.
const LISTED: usize = 10;

// The doc comment of a struct of arguments would become the description of a command that has them.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Confirmation {
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
}

impl Confirmation {
    /// Asks `question` on the terminal, unless `--yes` was given.
    ///
    /// # Errors
    /// The answer is not yes, or there is no terminal to ask on.
    pub(crate) async fn ask(self, question: &str) -> Result<(), Error> {
        if self.yes {
            return Ok(());
        }
        if !prompt::is_terminal() {
            return Err(Error::usage(format!(
                "nothing was changed: without a terminal to ask on, confirm with --yes. The question is: {question}"
            )));
        }
        if is_confirmed(question).await? {
            return Ok(());
        }
        Err(Error::Refused("nothing was changed: the answer was not yes".to_owned()))
    }
}

/// Asks a question on the terminal; returns whether the answer is yes.
pub(crate) async fn is_confirmed(question: &str) -> Result<bool, Error> {
    let answer = prompt::read_line(&format!("{question} [y/N] "))
        .await?
        .unwrap_or_default()
        .trim()
        .to_lowercase();
    Ok(matches!(answer.as_str(), "y" | "yes"))
}

/// Names for a question, such as `one, two and 8 more`.
pub(crate) fn enumerate(names: &[String]) -> String {
    let shown = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_of_names_is_cut() {
        let names: Vec<String> = (0..12).map(|n| format!("game-{n}")).collect();
        assert_eq!(enumerate(&names[..2]), "game-0, game-1");
        assert!(enumerate(&names).ends_with("game-9 and 2 more"));
    }
}
