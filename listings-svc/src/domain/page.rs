//! Pages: studios and persons (§2.4).

use serde::{Deserialize, Serialize};

use super::entity::Entity;
use super::links::Links;
use super::picture::is_uploaded;
use super::record::Content;
use super::state::State;

/// A creator, to the public.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Never changes.
    pub handle: String,
    /// Of the studio or person.
    pub name: String,
    /// `studio` or `person`.
    pub kind: String,
    /// What they do, such as `developer`.
    pub roles: Vec<String>,
    /// Empty when there is none.
    pub tagline: String,
    /// Empty when there is none.
    pub bio: String,
    /// A picture.
    pub avatar_url: Option<String>,
    /// Where they are.
    pub country_code: String,
    /// Empty when not known.
    pub city: String,
    /// Empty when not known.
    pub city_slug: String,
    /// Whether staff know that it is theirs.
    pub verified: bool,
    /// Where else they are.
    pub links: Links,
    /// Where the facts were seen.
    pub source: String,
}

/// Why games under a page are not public, whatever their own state: for their owner. `None` when the page is public.
#[must_use]
pub fn hidden_note(handle: &str, state: State) -> Option<String> {
    match state {
        State::Published => None,
        State::Pending => Some(format!(
            "Its page `{handle}` waits for its review: the game is shown once the page is public."
        )),
        State::Rejected => Some(format!(
            "Its page `{handle}` was rejected: the game is not shown until the page is public. Change the page, and it is reviewed again."
        )),
        State::Removed => Some(format!(
            "Its page `{handle}` was taken down: the game is not shown, and nothing is sent in under the page, until staff restore it."
        )),
    }
}

impl Content for Page {
    const ENTITY: Entity = Entity::Page;

    fn key(&self) -> &str {
        &self.handle
    }

    fn with_uploaded_pictures_of(&self, before: &Self) -> Option<Self> {
        let avatar = before.avatar_url.as_deref().filter(|it| is_uploaded(it))?;
        self.avatar_url.is_none().then(|| Self {
            avatar_url: Some(avatar.to_owned()),
            ..self.clone()
        })
    }
}
