//! Who of the staff is calling.
//!
//! The fleet's staff token is the operator's, who may do everything. A service that knows the staff by name gives its own
//! [`Members`], and then takes their tokens too. Either way the handler finds the caller with [`Member::of`].

use tonic::{Request, Status};

use crate::fault::Fault;

/// The name that the fleet's staff token goes by.
pub const OPERATOR: &str = "operator";

/// What a member of the staff may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Looks at what was sent in, and decides on it.
    Reviewer,
    /// Everything.
    Admin,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 2] = [Self::Reviewer, Self::Admin];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::Admin => "admin",
        }
    }

    /// The role of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }

    /// Whether it may do what `needed` may.
    pub const fn covers(self, needed: Self) -> bool {
        matches!(
            (self, needed),
            (Self::Admin, _) | (Self::Reviewer, Self::Reviewer)
        )
    }
}

/// A member of the staff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Under which name the member's deeds are kept.
    pub name: String,
    /// What the member may do.
    pub role: Role,
}

impl Member {
    /// Whoever holds the fleet's staff token.
    pub fn operator() -> Self {
        Self {
            name: OPERATOR.to_owned(),
            role: Role::Admin,
        }
    }

    /// Who makes this call.
    ///
    /// # Errors
    /// When the call did not come through the server's identity check, or not to a staff service.
    pub fn of<T>(request: &Request<T>) -> Result<Self, Status> {
        request
            .extensions()
            .get::<Self>()
            .cloned()
            .ok_or_else(|| refused("this call is for staff"))
    }
}

/// Knows the members of the staff by their tokens.
#[tonic::async_trait]
pub trait Members: Send + Sync + 'static {
    /// Whose token it is; `None` when it is nobody's, or not any more.
    async fn find(&self, token: &str) -> Result<Option<Member>, Fault>;
}

/// Refuses a caller whose role does not reach so far. `sentence` names the role that does.
pub fn refused(sentence: impl Into<String>) -> Status {
    Status::new(tonic::Code::PermissionDenied, sentence)
}
