//! The pages of the dashboard and of the public site: one template and one typed context a page. No I/O, no clock.
//!
//! The crate is compiled with optimization, since rendering takes most of the time of a page.

pub mod accounts;
pub mod asset;
pub mod bars;
pub mod docs;
pub mod drawing;
pub mod economy;
pub mod field;
pub mod form;
pub mod frame;
pub mod icon;
pub mod keys;
pub mod language;
pub mod link;
pub mod listings;
mod locale;
pub mod mails;
mod markdown;
pub mod people;
pub mod plans;
pub mod qr;
pub mod requests;
pub mod share;
pub mod site;
mod state;
pub mod teams;
pub mod texts;
pub mod usage;
pub mod webhooks;
pub mod when;

pub use field::{Choice, Field, Fields};
pub use frame::{AccountNav, ApiCall, Frame, Head};
pub use language::Language;
pub use link::{Link, Picture, Tab};
pub use state::StateText;
pub use texts::Texts;

/// A page that can be rendered.
pub use askama::Template;
