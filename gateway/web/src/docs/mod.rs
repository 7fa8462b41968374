//! The content of the documentation: the guides, and the reference of the API. `site/docs` has its pages.

pub mod document_cache;
pub mod guides;
pub mod reference;
