//! Commands in messages, as they are typed for the same fleet.

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;

/// The options that name the file of a fleet.
const FILE_OPTIONS: [&str; 2] = ["--fleet", "--profile"];

/// A command of `staff`, such as `staff key pending --fleet /srv/fleet.json`, in backquotes.
///
/// It reads the command line itself, because an invalid argument is reported before the options are parsed.
pub(crate) fn staff(command: &str) -> String {
    with_file_option(command, env::args_os())
}

fn with_file_option(command: &str, line: impl Iterator<Item = OsString>) -> String {
    match file_option(line) {
        Some((option, file)) => format!("`staff {command} {option} {}`", quote(&file)),
        None => format!("`staff {command}`"),
    }
}

fn file_option(line: impl Iterator<Item = OsString>) -> Option<(&'static str, String)> {
    let mut words = line.map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        for option in FILE_OPTIONS {
            if word == option {
                return Some((option, words.next()?));
            }
            let value = word.strip_prefix(option);
            if let Some(file) = value.and_then(|value| value.strip_prefix('=')) {
                return Some((option, file.to_owned()));
            }
        }
    }
    None
}

/// A word as a shell reads it.
pub(crate) fn quote(word: &str) -> Cow<'_, str> {
    // Only a NUL cannot be quoted, and no argument has one.
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_file_that_was_given() {
        for (line, expected) in [
            ("staff key approve x", "`staff key pending`"),
            (
                "staff --fleet /srv/fleet.json key approve x",
                "`staff key pending --fleet /srv/fleet.json`",
            ),
            (
                "staff key approve x --fleet=a/fleet.json",
                "`staff key pending --fleet a/fleet.json`",
            ),
            (
                "staff key approve x --profile two.toml",
                "`staff key pending --profile two.toml`",
            ),
            ("staff key approve x --fleet", "`staff key pending`"),
        ] {
            let words = line.split(' ').map(OsString::from);
            assert_eq!(with_file_option("key pending", words), expected, "{line}");
        }
        let line = ["staff", "--fleet", "/a b/fleet.json"].map(OsString::from);
        let command = with_file_option("plan list", line.into_iter());
        assert_eq!(command, "`staff plan list --fleet '/a b/fleet.json'`");
    }
}
