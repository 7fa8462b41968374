//! Pages: studios and persons (§2.4).

use contracts::public::CREATOR_KINDS;
use serde::{Deserialize, Serialize};

use super::city::Place;
use super::entity::Entity;
use super::fields::{Fields, read_slug};
use super::known::Known;
use super::links::{self, Links};
use super::listing::Draft;
use super::picture::is_ours;
use super::record::Content;
use super::state::State;
use super::{Read, lists, text};

/// Roles of one page at most.
pub const ROLES: usize = 20;

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
pub fn hidden(handle: &str, state: State) -> Option<String> {
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

    fn keeping_pictures(&self, before: &Self) -> Option<Self> {
        let avatar = before.avatar_url.as_deref().filter(|it| is_ours(it))?;
        self.avatar_url.is_none().then(|| Self {
            avatar_url: Some(avatar.to_owned()),
            ..self.clone()
        })
    }
}

impl Read for Draft<Page> {
    const NAME: &'static str = "handle";

    fn read(fields: &mut Fields<'_>, known: &Known) -> Self {
        fields.pass_over(&["note"]);
        let place = Place::read(fields, known);
        let mut links = links::read(fields, links::PAGE);
        if let Some(website) = fields.address("website") {
            links::add(fields, &mut links, "website", "website", website);
        }
        let (created_at, updated_at) = fields.times(known);
        Self {
            content: Page {
                handle: fields.slug("handle"),
                name: fields.title("name"),
                kind: fields.choice("kind", &CREATOR_KINDS),
                roles: lists::words(fields, "roles", ROLES, read_slug),
                tagline: fields.line("tagline", text::TAGLINE),
                bio: fields.paragraphs("bio", text::DESCRIPTION),
                avatar_url: fields.address("avatar_url"),
                country_code: place.country_code,
                city: place.city,
                city_slug: place.city_slug,
                verified: fields.flag("verified"),
                links,
                source: fields.line("source", text::DESCRIPTION),
            },
            created_at,
            updated_at,
        }
    }
}
