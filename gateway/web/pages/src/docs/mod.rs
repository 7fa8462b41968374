//! The documentation for developers: guides in Markdown, in English, each at one address.

mod code_block;
mod context;
mod guide;
mod highlight;

pub use context::{AllPage, GuidePage, Hit, IndexPage, Menu, MenuGroup, MenuLink, SearchPage};
pub use guide::{Guide, Section};
