//! Claims of pages.

use askama::Template;

use crate::field::{Field, Fields};
use crate::frame::Frame;
use crate::state::StateText;

#[derive(Debug, Template)]
#[template(path = "listing/claims.html")]
pub struct OwnClaimsPage {
    pub frame: Frame,
    pub errors: Fields,
    pub account: String,
    pub claims: Vec<ClaimRow>,
    pub handle: Field,
    pub evidence: Field,
    pub may_edit: bool,
}

#[derive(Debug)]
pub struct ClaimRow {
    pub id: String,
    /// Whether nobody has decided on it.
    pub is_open: bool,
    pub handle: String,
    pub made: String,
    pub evidence: String,
    pub state: StateText,
    /// What staff said about a rejection.
    pub reason: String,
}
