//! The people of an account, and their activity.

use askama::Template;

use crate::field::{Field, Fields};
use crate::frame::Frame;

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
    /// After a removal, the live keys that work on.
    pub removed: Option<RemovedMember>,
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

/// Somebody who was removed, and has seen the secrets of live keys.
#[derive(Debug)]
pub struct RemovedMember {
    pub email: String,
    /// `None`: the gateway is away.
    pub keys: Option<Vec<SeenKey>>,
}

#[derive(Debug)]
pub struct SeenKey {
    pub href: String,
    pub name: String,
    /// Whether it was rotated, and works until its grace period ends.
    pub is_rotated: bool,
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
