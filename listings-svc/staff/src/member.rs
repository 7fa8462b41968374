//! `staff member new`: the token of a new member of staff, and the line for the file that services read

use clap::{Args, Subcommand};
use kit::rpc::members_file::{self, TOKEN_PREFIX};
use kit::rpc::staff::{Member, Role};
use kit::{Clock, ids};
use time::Duration;

use crate::error::Error;
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Makes a token for a member, and prints it with the line for the file of members; calls no service
    ///
    /// The token is shown once: give it to the member, who puts it into a profile. Add the line to the file (setting `staff_members`), or put
    /// it in the place of the member's old one: services accept the token within seconds.
    New(New),
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// Small letters, digits and hyphens. The audit names the member by it, so give no name a second time
    #[arg(value_parser = name)]
    name: String,
    /// `reviewer` reads everything, reviews and edits listings, and decides on claims, key requests and held reports; `admin` may do
    /// everything
    #[arg(value_parser = role)]
    role: Role,
    /// Days for which the token works
    #[arg(long, default_value = "90", value_parser = clap::value_parser!(u16).range(1..=3650))]
    days: u16,
}

fn name(text: &str) -> Result<String, &'static str> {
    members_file::problem_of_name(text).map_or_else(|| Ok(text.to_owned()), Err)
}

fn role(text: &str) -> Result<Role, &'static str> {
    text.parse().map_err(|_error| "give reviewer or admin")
}

pub(crate) fn run(command: Command, output: Output) -> Result<(), Error> {
    let Command::New(new) = command;
    let token = ids::secret(TOKEN_PREFIX);
    let line = line(new, &token, &Clock::system());
    let document = serde_json::json!({ "token": token, "line": line });
    output.line(
        &document,
        &format!("The token, shown only now: {token}\nThe line for the file of members:\n{line}"),
    )
}

fn line(new: New, token: &str, clock: &Clock) -> String {
    let last_day = clock.now().date() + Duration::days(new.days.into());
    let member = Member { name: new.name, role: new.role, last_day: Some(last_day) };
    members_file::line(&member, token)
}

#[cfg(test)]
mod tests {
    use kit::rpc::StaffMembers;
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn a_service_accepts_the_token_of_the_printed_line() {
        let clock = Clock::fixed(datetime!(2026-03-01 12:00 UTC));
        let new = New { name: "ada".to_owned(), role: Role::Admin, days: 30 };
        let line = line(new, "staff_x", &clock);
        let found = StaffMembers::of(&line, clock).unwrap().find("staff_x").unwrap();
        assert_eq!((found.name.as_str(), found.role), ("ada", Role::Admin));
        assert_eq!(found.last_day, Some(date!(2026 - 03 - 31)));
    }

    #[test]
    fn an_invalid_member_name_is_refused() {
        for bad in ["", "Ada", "a b", "operator", &"a".repeat(61)] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }
}
