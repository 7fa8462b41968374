//! The page of an event.

use askama::Template;

use super::actions::VisitorActions;
use super::africa::Outline;
use super::cards::{Link, Picture};
use super::frame::Frame;

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
    /// The country on a map, and its page.
    pub outline: Option<&'static Outline>,
    pub country: Link,
    /// The file for calendars; absent for a listing of the sample data.
    pub calendar: Option<String>,
    pub website: Option<Link>,
    pub description: String,
    /// The address for others; absent for a listing of the sample data.
    pub share: Option<String>,
    pub actions: VisitorActions,
}
