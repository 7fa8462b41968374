//! The documentation at `/docs`: the guides, the reference of the API, and their pages. It is in English, each page at one address.

pub mod guides;
pub mod pages;
pub mod reference;
