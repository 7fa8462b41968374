//! Roles of people in an account.

use strum::{EnumString, IntoStaticStr};

/// The role of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    Owner,
    Developer,
    Editor,
}

/// The permission that a page or a form needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Any member: to read.
    Read,
    /// Keys and webhooks.
    Develop,
    /// Listings.
    Edit,
    /// The team, the name of the account, and its end.
    Manage,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The key of its name.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Owner => "team-role-owner",
            Self::Developer => "team-role-developer",
            Self::Editor => "team-role-editor",
        }
    }

    pub const fn may(self, permission: Permission) -> bool {
        match (self, permission) {
            (Self::Owner, _)
            | (_, Permission::Read)
            | (Self::Developer, Permission::Develop)
            | (Self::Editor, Permission::Edit) => true,
            (Self::Developer | Self::Editor, _) => false,
        }
    }
}

impl Permission {
    /// The keys of title and text of the error of a role that lacks the permission.
    pub const fn refusal(self) -> &'static (&'static str, &'static str) {
        match self {
            Self::Read => &("error-role-title", "error-role-read"),
            Self::Develop => &("error-role-title", "error-role-develop"),
            Self::Edit => &("error-role-title", "error-role-edit"),
            Self::Manage => &("error-role-title", "error-role-manage"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_its_permissions() {
        use Permission::{Develop, Edit, Manage, Read};
        let permissions = |role: Role| [Read, Develop, Edit, Manage].map(|it| role.may(it));
        assert_eq!(permissions(Role::Owner), [true; 4]);
        assert_eq!(permissions(Role::Developer), [true, true, false, false]);
        assert_eq!(permissions(Role::Editor), [true, false, true, false]);
    }
}
