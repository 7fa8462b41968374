//! The documentation for developers: guides in Markdown, in English, each at one address.

mod code_block;
mod context;
mod guide;
mod highlight;

pub use context::{AllPage, GuidePage, IndexPage, Menu, MenuGroup, MenuLink};
pub use guide::{Guide, Section};
