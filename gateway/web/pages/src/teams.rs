//! The people of an account, and what they did.

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

#[cfg(test)]
mod tests {
    use super::*;

    fn page(is_owner: bool) -> String {
        let row = |role| MemberRow {
            person: "p".to_owned(),
            email: "<ada@studio.example>".to_owned(),
            role,
            role_text: role,
            since: String::new(),
            is_you: false,
        };
        let page = TeamPage {
            frame: Frame::default(),
            errors: Fields::default(),
            id: "a".to_owned(),
            members: vec![row("owner"), row("editor")],
            invites: Vec::new(),
            email: Field::email("email", "E-mail"),
            form: String::new(),
            role: "editor".to_owned(),
            is_owner,
        };
        page.render().unwrap()
    }

    #[test]
    fn only_an_owner_has_the_forms_of_the_team() {
        assert!(page(true).contains("/accounts/a/team/invite"));
        assert!(page(true).contains("<option value=\"editor\" selected>editor</option>"));
        assert!(!page(false).contains("/team/p/role"));
        assert!(page(false).contains("/accounts/a/team/leave"));
        assert!(!page(false).contains("<ada@"));
    }
}
