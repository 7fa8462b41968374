//! What a visitor can do about a listing.

/// The links at the end of the page of a listing.
#[derive(Debug, Clone)]
pub struct VisitorActions {
    /// Of the page of a creator.
    pub claim: Option<String>,
    /// A mail to staff about the listing.
    pub write: Option<String>,
}
