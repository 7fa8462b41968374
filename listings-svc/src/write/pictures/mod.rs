//! Commands that change the pictures of listings.

pub mod edit;
