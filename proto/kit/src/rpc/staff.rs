//! Staff members and their roles.
//!
//! The staff token of the fleet belongs to the member `operator`, an admin. The other members are in a file ([`super::members_file`]). A handler gets
//! the caller with [`Member::of`].

use strum::{EnumString, IntoStaticStr};
use time::Date;
use tonic::{Request, Status};

/// The name of the member who holds the staff token of the fleet.
pub const OPERATOR: &str = "operator";

/// The role of a staff member. The later one may do everything that the earlier one may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// May read and decide on submissions.
    Reviewer,
    /// May do everything.
    Admin,
}

impl Role {
    /// The name of the role.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether this role may do everything that `needed` may do.
    pub fn covers(self, needed: Self) -> bool {
        self >= needed
    }
}

/// A staff member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name under which the audit records the member's actions.
    pub name: String,
    /// The member's role.
    pub role: Role,
    /// The last day on which the token works; `None` for the staff token of the fleet.
    pub last_day: Option<Date>,
}

impl Member {
    /// The member who holds the staff token of the fleet.
    pub fn operator() -> Self {
        Self { name: OPERATOR.to_owned(), role: Role::Admin, last_day: None }
    }

    /// The member who makes this call.
    ///
    /// # Errors
    /// The called service is not a staff service, or the call did not pass through the server's authentication.
    pub fn of<T>(request: &Request<T>) -> Result<Self, Status> {
        request
            .extensions()
            .get::<Self>()
            .cloned()
            .ok_or_else(|| permission_denied("This call is for staff only."))
    }
}

/// The status for a caller whose role is not sufficient. `sentence` names the role that is.
pub fn permission_denied(sentence: impl Into<String>) -> Status {
    Status::new(tonic::Code::PermissionDenied, sentence)
}
