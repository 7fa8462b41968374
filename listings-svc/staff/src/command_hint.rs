//! Commands in messages, as they are typed for the same fleet.

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;

/// The option that names the profile.
const OPTION: &str = "--profile";

/// A command of `staff`, such as `staff key pending --profile /srv/staff.toml`, in backquotes.
///
/// It reads the command line itself, because an invalid argument is reported before the options are parsed.
pub(crate) fn staff(command: &str) -> String {
    with_profile(command, env::args_os())
}

fn with_profile(command: &str, line: impl Iterator<Item = OsString>) -> String {
    match profile(line) {
        Some(file) => format!("`staff {command} {OPTION} {}`", quote(&file)),
        None => format!("`staff {command}`"),
    }
}

fn profile(line: impl Iterator<Item = OsString>) -> Option<String> {
    let mut words = line.map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        if word == OPTION {
            return words.next();
        }
        let value = word.strip_prefix(OPTION);
        if let Some(file) = value.and_then(|value| value.strip_prefix('=')) {
            return Some(file.to_owned());
        }
    }
    None
}

/// A word as a shell reads it.
fn quote(word: &str) -> Cow<'_, str> {
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
                "staff --profile /srv/staff.toml key approve x",
                "`staff key pending --profile /srv/staff.toml`",
            ),
            ("staff key approve x --profile=two.toml", "`staff key pending --profile two.toml`"),
            ("staff key approve x --profile", "`staff key pending`"),
        ] {
            let words = line.split(' ').map(OsString::from);
            assert_eq!(with_profile("key pending", words), expected, "{line}");
        }
        let line = ["staff", "--profile", "/a b/staff.toml"].map(OsString::from);
        let command = with_profile("plan list", line.into_iter());
        assert_eq!(command, "`staff plan list --profile '/a b/staff.toml'`");
    }
}
