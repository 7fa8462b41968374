//! The documentation for developers: guides in Markdown, in English, each at one address.

mod context;
mod guide;
mod markdown;

pub use context::{AllPage, GuidePage, Hit, IndexPage, Menu, MenuGroup, MenuLink, SearchPage};
pub use guide::{Guide, Section};
