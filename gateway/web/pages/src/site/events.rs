//! Events: the list, and the page of one.

use askama::Template;

use super::VisitorActions;
use crate::frame::Frame;
use crate::link::{Link, Picture};

#[derive(Debug, Template)]
#[template(path = "site/event.html")]
pub struct EventPage {
    pub frame: Frame,
    pub title: String,
    /// A drawing.
    pub picture: Picture,
    pub kind: Link,
    pub days: String,
    /// Its first day, for machines.
    pub starts_at: String,
    pub is_over: bool,
    pub place: Vec<Link>,
    pub is_online: bool,
    /// The file for calendars.
    pub calendar: String,
    pub website: Option<Link>,
    pub description: String,
    /// The address to share.
    pub share: String,
    pub actions: VisitorActions,
}
