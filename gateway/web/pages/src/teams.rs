//! The people of an account, and their activity.

use askama::Template;

use crate::field::{Field, Fields};
use crate::frame::Frame;
use crate::link::Link;

/// The values of the form of a member's role, and the keys of their texts.
const ROLES: [(&str, &str); 3] = [
    ("owner", "team-role-owner"),
    ("developer", "team-role-developer"),
    ("editor", "team-role-editor"),
];

#[derive(Debug, Template)]
#[template(path = "team/team.html")]
pub struct TeamPage {
    pub frame: Frame,
    pub errors: Fields,
    pub id: String,
    /// For owners: who has seen secrets that work, and does not work with them any more.
    pub former: Vec<FormerMember>,
    /// Whether that cannot be told now, because a service is unavailable.
    pub is_former_unknown: bool,
    pub members: Vec<MemberRow>,
    pub invites: Vec<InviteRow>,
    pub email: Field,
    /// The id of the form of an invitation.
    pub form: String,
    /// The role that is ticked in the form.
    pub role: String,
    pub is_owner: bool,
}

impl TeamPage {
    #[expect(clippy::unused_self, reason = "templates call it as a method")]
    fn roles(&self) -> [(&'static str, &'static str); 3] {
        ROLES
    }
}

#[derive(Debug)]
pub struct MemberRow {
    pub person: String,
    pub email: String,
    /// The value of the form.
    pub role: &'static str,
    /// The same in words.
    pub role_text: &'static str,
    pub since: String,
    pub is_you: bool,
}

/// Somebody who has seen secrets of live keys and of webhooks, and has left or is an editor now.
#[derive(Debug)]
pub struct FormerMember {
    pub email: String,
    /// Each is labelled with what to do about it.
    pub secrets: Vec<Link>,
}

#[derive(Debug)]
pub struct InviteRow {
    pub id: String,
    pub email: String,
    /// In words.
    pub role: &'static str,
    pub until: String,
}

#[derive(Debug, Template)]
#[template(path = "team/activity.html")]
pub struct ActivityPage {
    pub frame: Frame,
    pub rows: Vec<ActivityRow>,
    /// The address of the next page.
    pub next: Option<String>,
}

#[derive(Debug)]
pub struct ActivityRow {
    pub at: String,
    /// The address of a person, or our staff.
    pub author: String,
    pub what: String,
    pub address: String,
    pub agent: String,
}
