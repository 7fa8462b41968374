//! The place of a listing, and the lookup of a city by what a client wrote (§2.5).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::LazyLock;

use contracts::reference_data::{self, City, cities};

use super::field_reader::Fields;
use super::{country, slug, text};

/// Country and name, as a slug, of each city: the most populous one with the name. A city's own slug is a name too.
static BY_NAME: LazyLock<HashMap<(&str, String), &City>> = LazyLock::new(|| {
    let mut by_name = HashMap::new();
    for city in cities() {
        let names = slug::from_title(city.name).into_iter();
        for name in names.chain([city.slug.to_owned()]) {
            match by_name.entry((city.country_code, name)) {
                Entry::Vacant(free) => {
                    free.insert(city);
                }
                Entry::Occupied(mut other) => {
                    let known: &City = other.get();
                    if (city.population, known.slug) > (known.population, city.slug) {
                        other.insert(city);
                    }
                }
            }
        }
    }
    by_name
});

/// Finds a city of a country by slug, or by name without case and diacritics. Of several matches, returns the most populous city.
fn find(country: &str, text: &str) -> Option<&'static City> {
    BY_NAME.get(&(country, slug::from_title(text)?)).copied()
}

fn with_slug(country: &str, slug: &str) -> Option<&'static City> {
    reference_data::city(slug).filter(|city| city.country_code == country)
}

/// A slug for a city that the gazetteer does not have: the name and the country code, which is how the gazetteer writes all but the
/// largest city of a name. The same text in the same country gives the same slug.
fn slug_for_unlisted(country: &str, text: &str) -> Option<String> {
    let mut name = slug::from_title(text)?;
    name.truncate(slug::MAX_LENGTH - "-xx-999999".len());
    let name = format!("{}-{}", name.trim_end_matches('-'), country.to_ascii_lowercase());
    // The gazetteer has at most `len` of these `len + 1` slugs.
    (1..=cities().len() + 1)
        .map(|n| match n {
            1 => name.clone(),
            n => format!("{name}-{n}"),
        })
        .find(|slug| reference_data::city(slug).is_none())
}

/// The place of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Code of a country of the directory.
    pub country_code: String,
    /// The name in the gazetteer, else the name that the owner wrote; empty when there is none.
    pub city: String,
    /// Empty when there is no city.
    pub city_slug: String,
}

impl Place {
    /// Reads `country_code`, `city` and `city_slug` as files and staff give them. A slug of the
    /// gazetteer wins over the name, because names repeat. A place that stays the same is only
    /// [improved](Self::improved).
    pub fn from_row(fields: &mut Fields<'_>, current: Self) -> Self {
        let (mut country_code, mut city) = (current.country_code.clone(), current.city.clone());
        fields
            .update("country_code", &mut country_code, |fields| country::read_country_code(fields));
        fields.update("city", &mut city, |fields| fields.line("city", text::MAX_TITLE));
        let city_slug = fields.line("city_slug", text::MAX_TITLE);
        let is_same_slug = fields.is_kept("city_slug") || city_slug == current.city_slug;
        if is_same_slug && country_code == current.country_code && city == current.city {
            return current.improved();
        }
        if let Some(listed) = with_slug(&country_code, &city_slug) {
            return Self {
                country_code,
                city: listed.name.to_owned(),
                city_slug: listed.slug.to_owned(),
            };
        }
        if !city.is_empty() {
            return Self::resolve(fields, country_code, city);
        }
        if !city_slug.is_empty() && fields.is_valid("country_code") {
            let reason =
                format!("No city of {country_code} has this slug: give its name in `city`.");
            fields.refuse("city_slug", reason);
        }
        Self { country_code, ..Self::default() }
    }

    /// Reads `country_code` and `city` as accounts give them; `read` reads the city. A place that
    /// stays the same is only [improved](Self::improved).
    pub fn from_body(
        fields: &mut Fields<'_>,
        current: Self,
        read: impl FnOnce(&mut Fields<'_>) -> String,
    ) -> Self {
        let (mut country_code, mut city) = (current.country_code.clone(), current.city.clone());
        fields
            .update("country_code", &mut country_code, |fields| country::read_country_code(fields));
        fields.update("city", &mut city, read);
        if country_code == current.country_code && city == current.city {
            return current.improved();
        }
        if city.is_empty() {
            return Self { country_code, ..Self::default() };
        }
        Self::resolve(fields, country_code, city)
    }

    /// The place as the gazetteer has it, if its slug was made because no gazetteer had the city.
    /// Every other slug stays: one that the gazetteer lacks is that of a later version's gazetteer.
    fn improved(self) -> Self {
        let unlisted = slug_for_unlisted(&self.country_code, &self.city);
        let is_unlisted = unlisted.is_some_and(|slug| slug == self.city_slug);
        match find(&self.country_code, &self.city).filter(|_| is_unlisted) {
            Some(listed) => {
                Self { city: listed.name.to_owned(), city_slug: listed.slug.to_owned(), ..self }
            }
            None => self,
        }
    }

    /// The place that a row states, for a listing that has the place `stored`: the same names keep
    /// the slug that a later version's gazetteer gave them.
    #[must_use]
    pub fn replacing(self, stored: Self) -> Self {
        let is_same = self.country_code == stored.country_code && self.city == stored.city;
        let is_listed = with_slug(&self.country_code, &self.city_slug).is_some();
        if is_same && !is_listed { stored } else { self }
    }

    /// Looks a city up by name. A city that the gazetteer does not have keeps its name as written, and gets a slug made from it.
    fn resolve(fields: &mut Fields<'_>, country_code: String, city: String) -> Self {
        if let Some(listed) = find(&country_code, &city) {
            return Self {
                city: listed.name.to_owned(),
                city_slug: listed.slug.to_owned(),
                country_code,
            };
        }
        let slug = slug_for_unlisted(&country_code, &city);
        if slug.is_none() {
            fields.refuse("city", "Write the city's name in letters.");
        }
        Self { country_code, city, city_slug: slug.unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, json};

    #[test]
    fn a_city_is_found_in_its_country_by_slug_or_name() {
        let slug = |country, text| find(country, text).map(|city| city.slug);
        assert_eq!(slug("AO", "UIGE"), Some("uige"));
        assert_eq!(slug("AO", "N’Zeto"), Some("nzeto"));
        assert_eq!(slug("KE", "Bondo"), Some("bondo"), "the most populous");
        assert_eq!(slug("KE", "bondo-ke"), Some("bondo-ke"));
        assert_eq!(slug("AO", "Luanda"), Some("luanda"));
        assert_eq!(slug("KE", "Luanda"), Some("luanda-ke"));
        assert_eq!(slug("KE", "Uíge"), None);
    }

    #[test]
    fn an_unlisted_city_gets_a_slug_of_its_own() {
        let place = |row: serde_json::Value| {
            let mut fields = Fields::new(row.as_object().unwrap());
            let place = Place::from_row(&mut fields, Place::default());
            fields.finish((place.city, place.city_slug))
        };
        let pair = |a: &str, b: &str| Ok((a.to_owned(), b.to_owned()));
        assert_eq!(
            place(json!({"country_code": "ng", "city": "Ìlú Àlá"})),
            pair("Ìlú Àlá", "ilu-ala-ng")
        );
        assert_eq!(
            place(json!({"country_code": "KE", "city": "Tala ke"})),
            pair("Tala", "tala-ke")
        );
        assert_eq!(
            place(json!({"country_code": "KE", "city": "Bondo", "city_slug": "bondo-ke"})),
            pair("Bondo", "bondo-ke")
        );
        assert_eq!(slug_for_unlisted("KE", "Tala").as_deref(), Some("tala-ke-2"));
        assert_eq!(place(json!({"country_code": "KE"})), pair("", ""));
        assert!(place(json!({"country_code": "NG", "city": "???"})).is_err());
        assert!(place(json!({"country_code": "FR", "city": "Paris"})).is_err());
        assert!(place(json!({"country_code": "NG", "city_slug": "uige"})).is_err());
    }

    /// The place was stored by a version with another gazetteer: an earlier one did not have the
    /// city, and a later one has more cities, or gives a name to another one.
    #[test]
    fn an_edit_of_other_fields_improves_a_place_and_never_makes_it_worse() {
        let stored = |city: &str, slug: &str| Place {
            country_code: "NG".to_owned(),
            city: city.to_owned(),
            city_slug: slug.to_owned(),
        };
        let nothing = Map::new();
        for (before, after) in [
            (stored("LAGOS", "lagos-ng"), stored("Lagos", "lagos")),
            (stored("Lagos", "lagos"), stored("Lagos", "lagos")),
            (stored("Ìlú Àlá", "ilu-ala-ng"), stored("Ìlú Àlá", "ilu-ala-ng")),
            (stored("Zzville", "zzville"), stored("Zzville", "zzville")),
            (stored("Lagos", "lagos-island"), stored("Lagos", "lagos-island")),
            (stored("", ""), stored("", "")),
        ] {
            // The second one is what a client sends that sends back the whole listing.
            let same = json!({"country_code": "NG", "city": before.city});
            for sent in [&nothing, same.as_object().unwrap()] {
                let mut fields = Fields::for_change(sent);
                let city = |fields: &mut Fields<'_>| fields.line("city", text::MAX_TITLE);
                let by_account = Place::from_body(&mut fields, before.clone(), city);
                let by_staff = Place::from_row(&mut fields, before.clone());
                assert_eq!((&by_account, &by_staff), (&after, &after), "{sent:?}");
            }
            let row = json!({"country_code": "NG", "city": before.city});
            let mut fields = Fields::new(row.as_object().unwrap());
            let by_row = Place::from_row(&mut fields, Place::default()).replacing(before);
            // "Lagos" is in this gazetteer, and a row of a file says it anew.
            if after.city_slug != "lagos-island" {
                assert_eq!(by_row, after);
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_a_slug_or_none(text in "\\PC{0,140}") {
            if let Some(slug) = slug_for_unlisted("NG", &text) {
                prop_assert!(slug::is_valid(&slug), "{slug}");
            }
        }
    }
}
