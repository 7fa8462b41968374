//! Listings as they stand in lists.

use crate::icon::Icon;
use crate::link::{Link, Picture};

/// A short link with an icon.
#[derive(Debug, Clone)]
pub struct Chip {
    /// The id of its symbol.
    pub icon: &'static str,
    pub link: Link,
}

/// A game in a list.
#[derive(Debug, Clone)]
pub struct GameCard {
    pub href: String,
    pub title: String,
    pub tagline: String,
    /// Its cover, or a drawing.
    pub cover: Picture,
    pub creator: Link,
    /// For example `Puzzle · Android · 2023`.
    pub facts: String,
    pub place: String,
    pub platforms: Vec<Icon>,
    pub is_featured: bool,
}

/// A studio or a person in a list.
#[derive(Debug, Clone)]
pub struct CreatorCard {
    pub href: String,
    pub name: String,
    pub tagline: String,
    /// Its picture, or a drawing.
    pub avatar: Picture,
    pub kind: Icon,
    /// For example `Lagos, Nigeria`.
    pub place: String,
    pub is_verified: bool,
}

/// An event in a list.
#[derive(Debug, Clone)]
pub struct EventCard {
    pub href: String,
    pub title: String,
    /// A drawing.
    pub picture: Picture,
    pub kind: Icon,
    /// For example `Nairobi, Kenya`.
    pub place: String,
    pub days: String,
    /// Its first day, for machines.
    pub starts_at: String,
}
