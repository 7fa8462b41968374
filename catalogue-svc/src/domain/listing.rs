//! The header of a listing: its mode, and whether it is public.

use uuid::Uuid;

pub use kit::Mode;

/// The fields that all kinds of listings have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The producer's id.
    pub id: Uuid,
    /// Its dataset.
    pub mode: Mode,
    /// Whether it is public, as listings-svc decides.
    pub visible: bool,
}
