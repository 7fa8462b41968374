//! Pages of studios and persons (§2.4).

use serde::{Deserialize, Serialize};

use super::city::Place;
use super::links::Links;
use super::state::ListingState;

/// The public page of a creator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Never changes.
    pub handle: String,
    pub name: String,
    /// `studio` or `person`.
    pub kind: String,
    /// Such as `developer`.
    pub roles: Vec<String>,
    /// Empty when there is none.
    pub tagline: String,
    /// Empty when there is none.
    pub bio: String,
    pub avatar_url: Option<String>,
    pub country_code: String,
    /// Empty when unknown.
    pub city: String,
    /// Empty when unknown.
    pub city_slug: String,
    /// Whether staff verified who owns the page.
    pub verified: bool,
    pub links: Links,
    /// Where the data was collected.
    pub source: String,
}

impl Page {
    pub fn place(&self) -> Place {
        Place {
            country_code: self.country_code.clone(),
            city: self.city.clone(),
            city_slug: self.city_slug.clone(),
        }
    }

    pub fn set_place(&mut self, place: Place) {
        self.country_code = place.country_code;
        self.city = place.city;
        self.city_slug = place.city_slug;
    }
}

/// Why an approved game is hidden, for its owner. `None` when the page is public.
#[must_use]
pub fn hidden_note(handle: &str, state: ListingState) -> Option<String> {
    match state {
        ListingState::Published => None,
        ListingState::Pending => Some(format!(
            "Its page `{handle}` is pending review: the game is shown once the page is public."
        )),
        ListingState::Rejected => Some(format!(
            "Its page `{handle}` was rejected: the game is not shown until the page is public. Change the page, and it is reviewed again."
        )),
        ListingState::Removed => Some(format!(
            "Its page `{handle}` was taken down: until staff restore it, the game is not shown and no game can be submitted under the page."
        )),
    }
}
