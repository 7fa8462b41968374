//! Roles of people in an account.

/// The role of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// The team, the name of the account, and its plan.
    Manage,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::Owner, Self::Developer, Self::Editor];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Developer => "developer",
            Self::Editor => "editor",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
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
    /// The roles that have the permission, in words.
    pub const fn holders(self) -> &'static str {
        match self {
            Self::Read => "a member",
            Self::Develop => "an owner or a developer",
            Self::Edit => "an owner or an editor",
            Self::Manage => "an owner",
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
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
    }
}
