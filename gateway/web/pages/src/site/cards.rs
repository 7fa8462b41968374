//! Listings as they stand in lists.

use crate::icon::Icon;

/// A picture that this site serves.
#[derive(Debug, Clone)]
pub struct Picture {
    pub src: String,
    /// In pixels.
    pub width: u32,
    pub height: u32,
    /// Empty for one that only decorates: the title stands beside it.
    pub alt: String,
    /// The sizes that there are, as in `srcset`; empty when there is one.
    pub srcset: String,
}

/// A link and its text.
#[derive(Debug, Clone)]
pub struct Link {
    pub href: String,
    pub label: String,
}

/// A short link with an icon.
#[derive(Debug, Clone)]
pub struct Chip {
    /// The id of its symbol.
    pub icon: &'static str,
    pub link: Link,
}

/// One of several pages that stand for choices.
#[derive(Debug, Clone)]
pub struct Tab {
    pub link: Link,
    pub is_current: bool,
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
