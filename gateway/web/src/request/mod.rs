//! A request as handlers take it: [`SiteRequest`] of a public page, or [`PersonRequest`] of a person with a session, which [`MemberRequest`]
//! extends with the account that the page is about. The layers put its parts into the extensions of the request.

mod client_info;
mod member;
mod person;
mod site;
mod viewer;
mod visit;

pub use client_info::ClientInfo;
pub use member::MemberRequest;
pub use person::PersonRequest;
pub use site::SiteRequest;
pub use viewer::{AccountScope, NewSession, Section, Viewer, begin_session};
pub use visit::Visit;
