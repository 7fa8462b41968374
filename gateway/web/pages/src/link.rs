//! Links and pictures of pages.

/// A link and its text.
#[derive(Debug, Clone)]
pub struct Link {
    pub href: String,
    pub label: String,
}

/// One of several pages to choose from.
#[derive(Debug, Clone)]
pub struct Tab {
    pub link: Link,
    pub is_current: bool,
}

/// A picture that this site serves.
#[derive(Debug, Clone)]
pub struct Picture {
    pub src: String,
    /// In pixels.
    pub width: u32,
    pub height: u32,
    /// Empty for a decoration, whose title stands beside it.
    pub alt: String,
    /// Its sizes, as in `srcset`; empty when there is one.
    pub srcset: String,
}
