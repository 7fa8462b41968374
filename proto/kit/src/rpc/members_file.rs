//! The members of staff: a file that every service reads, and reads again when it changes.
//!
//! A line has the name of a member, the role, the SHA-256 of the token in hexadecimal, and the last day on which the token works (UTC). Empty
//! lines and those that begin with `#` are skipped.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use arc_swap::ArcSwap;
use sha2::{Digest as _, Sha256};
use time::Date;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use super::staff::{Member, OPERATOR};
use crate::clock::Clock;
use crate::lifecycle::Lifecycle;
use crate::throttle::Throttle;

/// The prefix of a member's token.
pub const TOKEN_PREFIX: &str = "staff_";
/// How often the file is read.
const REFRESH: Duration = Duration::from_secs(1);
/// The most characters of a name.
const MAX_NAME: usize = 60;
const DAY: &[BorrowedFormatItem<'static>] = format_description!("[year]-[month]-[day]");

/// The SHA-256 of a token.
type TokenHash = [u8; 32];
type ByToken = HashMap<TokenHash, Member>;

/// The members of staff by their tokens. Clones share them.
#[derive(Debug, Clone)]
pub struct StaffMembers {
    current: Arc<ArcSwap<ByToken>>,
    clock: Clock,
}

/// Why a token is not that of a member who may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoMember {
    /// No line has this token.
    Unknown,
    /// The last day of the token, which has passed.
    Expired(Date),
}

impl StaffMembers {
    /// The members of the text of a file.
    ///
    /// # Errors
    /// The text is not that of a file of members: the sentence names the line.
    pub fn of(text: &str, clock: Clock) -> Result<Self, String> {
        let current = Arc::new(ArcSwap::from_pointee(parse(text)?));
        Ok(Self { current, clock })
    }

    /// The members of a file, which is read again until the process stops.
    ///
    /// # Errors
    /// The file cannot be read, or it is not a file of members.
    pub fn watch(path: &Path, clock: Clock, lifecycle: &Lifecycle) -> anyhow::Result<Self> {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("staff_members: {shown} cannot be read"))?;
        let members = Self::of(&text, clock)
            .map_err(|problem| anyhow!("staff_members: {shown}: {problem}"))?;
        let reading = members.clone().follow(path.to_owned(), text);
        lifecycle.spawn_background("staff members", reading);
        Ok(members)
    }

    async fn follow(self, path: PathBuf, mut text: String) -> anyhow::Result<()> {
        let errors = Throttle::new();
        loop {
            tokio::time::sleep(REFRESH).await;
            let read = tokio::fs::read_to_string(&path).await;
            let problem = match read {
                Ok(read) if read == text => None,
                Ok(read) => {
                    let replaced = self.replace(&read);
                    if replaced.is_ok() {
                        tracing::info!("the file of the members of staff has changed");
                        text = read;
                    }
                    replaced.err()
                }
                Err(error) => Some(error.to_string()),
            };
            if let Some(problem) = problem.filter(|_| errors.admits()) {
                let file = path.display();
                tracing::error!(%file, problem, "the file of members cannot be read; the last ones stay");
            }
        }
    }

    /// Takes the members of another text.
    ///
    /// # Errors
    /// As [`StaffMembers::of`]; the members stay as they are.
    pub fn replace(&self, text: &str) -> Result<(), String> {
        self.current.store(Arc::new(parse(text)?));
        Ok(())
    }

    /// The member with this token.
    ///
    /// # Errors
    /// Nobody has it, or its last day has passed.
    pub fn find(&self, token: &str) -> Result<Member, NoMember> {
        let members = self.current.load();
        let found = members.get(&token_hash(token)).ok_or(NoMember::Unknown)?;
        match found.last_day {
            Some(day) if day < self.clock.now().date() => Err(NoMember::Expired(day)),
            _ => Ok(found.clone()),
        }
    }
}

/// The line of a member.
pub fn line(member: &Member, token: &str) -> String {
    let day = member.last_day.map(day).unwrap_or_default();
    let (name, role) = (&member.name, member.role.as_str());
    format!("{name} {role} {} {day}", hex::encode(token_hash(token)))
}

/// A day as the file has it.
pub fn day(day: Date) -> String {
    day.format(DAY).unwrap_or_default()
}

/// Why a text cannot be the name of a member, if it cannot.
pub fn problem_of_name(name: &str) -> Option<&'static str> {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name == OPERATOR {
        return Some("`operator` is who has the staff token of the fleet: choose another name");
    }
    let is_name = (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_word);
    (!is_name).then_some("a name has small letters, digits and hyphens, at most 60")
}

fn token_hash(token: &str) -> TokenHash {
    Sha256::digest(token).into()
}

fn parse(text: &str) -> Result<ByToken, String> {
    // It is a file that is being written.
    if text.trim().is_empty() {
        return Err("it is empty: a file without members has a comment, such as `# none`".into());
    }
    let (mut members, mut names) = (ByToken::new(), HashSet::new());
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let at = |problem: &str| format!("line {number}: {problem}");
        let (hash, member) = parse_line(line).map_err(&at)?;
        if !names.insert(member.name.clone()) {
            return Err(at("an earlier line has the same name"));
        }
        if members.insert(hash, member).is_some() {
            return Err(at("an earlier line has the same token"));
        }
    }
    Ok(members)
}

/// Reads a line. An error does not show the line: it may hold a token by mistake.
fn parse_line(line: &str) -> Result<(TokenHash, Member), &'static str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[name, role, hash, last_day] = &words[..] else {
        return Err("give a name, a role, the SHA-256 of a token, and its last day");
    };
    if let Some(problem) = problem_of_name(name) {
        return Err(problem);
    }
    let role = role.parse().map_err(|_error| "a role is `reviewer` or `admin`")?;
    let mut token = TokenHash::default();
    hex::decode_to_slice(hash, &mut token)
        .map_err(|_error| "the SHA-256 of a token has 64 hexadecimal digits")?;
    let last_day = Date::parse(last_day, DAY)
        .map_err(|_error| "the last day is a date, such as 2026-12-31")?;
    let member = Member { name: name.to_owned(), role, last_day: Some(last_day) };
    Ok((token, member))
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;
    use crate::rpc::staff::Role;

    fn ada() -> Member {
        Member {
            name: "ada".to_owned(),
            role: Role::Reviewer,
            last_day: Some(date!(2026 - 03 - 31)),
        }
    }

    #[test]
    fn a_member_is_found_by_the_token_until_the_end_of_the_last_day() {
        let clock = Clock::fixed(datetime!(2026-03-31 23:59 UTC));
        let text = format!("# The staff\n\n{}\n", line(&ada(), "staff_ada"));
        let members = StaffMembers::of(&text, clock.clone()).unwrap();
        assert_eq!(members.find("staff_ada"), Ok(ada()));
        assert_eq!(members.find("staff_eve"), Err(NoMember::Unknown));
        clock.advance(time::Duration::MINUTE);
        let expired = Err(NoMember::Expired(date!(2026 - 03 - 31)));
        assert_eq!(members.find("staff_ada"), expired);
    }

    #[test]
    fn a_file_that_is_wrong_says_which_line() {
        let good = line(&ada(), "staff_ada");
        let other = line(&ada(), "staff_bea");
        let renamed = good.replace("ada", "bea");
        let hash = hex::encode(token_hash("staff_ada"));
        for (text, problem) in [
            (" \n", "it is empty"),
            ("ada", "line 1: give a name"),
            (&format!("Ada admin {hash} 2026-03-31"), "line 1: a name has"),
            (&format!("operator admin {hash} 2026-03-31"), "line 1: `operator`"),
            (&format!("ada boss {hash} 2026-03-31"), "line 1: a role"),
            ("ada admin 0f 2026-03-31", "line 1: the SHA-256"),
            (&format!("ada admin {hash} 2026-02-30"), "line 1: the last day"),
            (&format!("# staff\n{good}\n{other}"), "line 3: an earlier line has the same name"),
            (&format!("{good}\n{renamed}"), "line 2: an earlier line has the same token"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(problem), "{text}: {error}");
        }
        assert!(parse("# none").unwrap().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn the_file_is_read_again_and_a_broken_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("members");
        let (lifecycle, _supervisor) = Lifecycle::new();
        let clock = Clock::fixed(datetime!(2026-03-01 00:00 UTC));
        std::fs::write(&path, "broken").unwrap();
        let refused = StaffMembers::watch(&path, clock.clone(), &lifecycle).unwrap_err();
        assert!(format!("{refused:#}").contains("line 1"), "{refused:#}");

        std::fs::write(&path, line(&ada(), "staff_ada")).unwrap();
        let members = StaffMembers::watch(&path, clock, &lifecycle).unwrap();
        let until = async |token: &str, is_known: bool| {
            while members.find(token).is_ok() != is_known {
                tokio::time::sleep(REFRESH).await;
            }
        };
        for broken in ["", "broken"] {
            std::fs::write(&path, broken).unwrap();
            tokio::time::sleep(3 * REFRESH).await;
            assert!(members.find("staff_ada").is_ok(), "{broken}");
        }
        std::fs::write(&path, line(&ada(), "staff_new")).unwrap();
        until("staff_new", true).await;
        assert_eq!(members.find("staff_ada"), Err(NoMember::Unknown));
        std::fs::write(&path, "# none").unwrap();
        until("staff_new", false).await;
        lifecycle.stopping().cancel();
    }
}
