//! What the documentation at `/docs` says: the guides, and the reference of the API. `site/docs` has its pages. It is in English, each page at
//! one address.

pub mod document_cache;
pub mod guides;
pub mod reference;
