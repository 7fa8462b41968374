//! What every listing has: a world it belongs to, and a state.

/// The two worlds (§5.3): a live key meets real listings, a test key sample ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Real listings.
    Live,
    /// Samples.
    Test,
}

impl Mode {
    /// As it is written in the schema and in a cursor.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }
}

/// Where a listing stands (§3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It waits for review.
    Pending,
    /// The public sees it.
    Published,
    /// Staff refused it.
    Rejected,
    /// It was taken down.
    Removed,
}

impl State {
    /// As it is written in the schema.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Published => "published",
            Self::Rejected => "rejected",
            Self::Removed => "removed",
        }
    }
}
