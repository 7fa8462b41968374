//! The gazetteer: the cities, and the lookup of a city by what a client wrote (§2.5).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde::{Deserialize, Serialize};

use super::content::Content;
use super::entity::Entity;
use super::slug;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct City {
    /// Never changes. The slug identifies a city, because names repeat.
    pub slug: String,
    pub name: String,
    pub country_code: String,
    /// `None` when unknown.
    pub population: Option<i64>,
    /// Where the data was collected.
    pub source: String,
}

impl Content for City {
    const ENTITY: Entity = Entity::City;

    fn key(&self) -> &str {
        &self.slug
    }
}

/// The cities, indexed by slug and by name.
#[derive(Debug, Default)]
pub struct Gazetteer {
    cities: Vec<City>,
    by_slug: HashMap<String, usize>,
    /// Country and slug of the name, to the most populous city with that name in the country.
    by_name: HashMap<(String, String), usize>,
}

impl Gazetteer {
    pub fn new(cities: Vec<City>) -> Self {
        let mut gazetteer = Self::default();
        for (index, city) in cities.iter().enumerate() {
            gazetteer.by_slug.insert(city.slug.clone(), index);
            // The slug of a name has neither case nor diacritics.
            let names = slug::from_title(&city.name)
                .into_iter()
                .chain([city.slug.clone()]);
            for name in names {
                match gazetteer.by_name.entry((city.country_code.clone(), name)) {
                    Entry::Vacant(free) => {
                        free.insert(index);
                    }
                    Entry::Occupied(mut entry) => {
                        let other = &cities[*entry.get()];
                        if (city.population, &other.slug) > (other.population, &city.slug) {
                            entry.insert(index);
                        }
                    }
                }
            }
        }
        gazetteer.cities = cities;
        gazetteer
    }

    /// Finds a city of a country by slug, or by name without case and diacritics. Of several matches, returns the most populous city.
    pub fn find(&self, country: &str, text: &str) -> Option<&City> {
        let key = (country.to_owned(), slug::from_title(text)?);
        self.cities.get(*self.by_name.get(&key)?)
    }

    pub fn with_slug(&self, country: &str, slug: &str) -> Option<&City> {
        self.cities
            .get(*self.by_slug.get(slug)?)
            .filter(|city| city.country_code == country)
    }

    /// A slug for a city that the gazetteer does not have: the name and the country code, which is how the gazetteer writes all but the
    /// largest city of a name. The same text in the same country gives the same slug.
    pub fn slug_for_unlisted(&self, country: &str, text: &str) -> Option<String> {
        let mut name = slug::from_title(text)?;
        name.truncate(slug::MAX_LENGTH - "-xx-999999".len());
        let name = format!(
            "{}-{}",
            name.trim_end_matches('-'),
            country.to_ascii_lowercase()
        );
        // The gazetteer has at most `len` of these `len + 1` slugs.
        (1..=self.cities.len() + 1)
            .map(|n| match n {
                1 => name.clone(),
                n => format!("{name}-{n}"),
            })
            .find(|slug| !self.by_slug.contains_key(slug))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn city(slug: &str, name: &str, country: &str, population: Option<i64>) -> City {
        City {
            slug: slug.to_owned(),
            name: name.to_owned(),
            country_code: country.to_owned(),
            population,
            source: String::new(),
        }
    }

    fn gazetteer() -> Gazetteer {
        Gazetteer::new(vec![
            city("aba-ng-2", "Aba", "NG", None),
            city("aba-ng", "Aba", "NG", Some(897_560)),
            city("aba", "Aba", "CD", Some(1_000_000)),
            city("uige", "Uíge", "AO", Some(322_531)),
            city("nzeto", "N'zeto", "AO", Some(2_230)),
            city("tala-ke", "Tala", "KE", Some(9_000)),
        ])
    }

    #[test]
    fn a_city_is_found_in_its_country_by_slug_or_name() {
        let gazetteer = gazetteer();
        let slug = |country, text| gazetteer.find(country, text).map(|c| c.slug.as_str());
        assert_eq!(slug("AO", "UIGE"), Some("uige"));
        assert_eq!(slug("AO", "N’Zeto"), Some("nzeto"));
        assert_eq!(slug("NG", "aba"), Some("aba-ng"), "the most populous");
        assert_eq!(slug("NG", "aba-ng-2"), Some("aba-ng-2"));
        assert_eq!(slug("CD", "Aba"), Some("aba"));
        assert_eq!(slug("KE", "Aba"), None);
    }

    #[test]
    fn the_slug_of_an_unlisted_city_is_not_in_the_gazetteer() {
        assert_eq!(
            gazetteer().slug_for_unlisted("KE", "Tala"),
            Some("tala-ke-2".to_owned())
        );
    }

    proptest! {
        #[test]
        fn any_text_gives_a_place_or_a_reason(text in "\\PC{0,140}") {
            if let Some(slug) = gazetteer().slug_for_unlisted("NG", &text) {
                prop_assert!(slug::is_valid(&slug), "{slug}");
            }
        }
    }
}
