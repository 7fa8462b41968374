//! Reads cities: rows of the gazetteer, and the place of a listing (§2.5).

use super::field_reader::Fields;
use super::gazetteer::City;
use super::reference_data::ReferenceData;
use super::{FromImportRow, country, text};

impl FromImportRow for City {
    const KEY_FIELD: &'static str = "city_slug";

    fn from_import_row(fields: &mut Fields<'_>, reference: &ReferenceData) -> Self {
        fields.ignore(&["latitude", "longitude", "geonameid"]);
        Self {
            slug: fields.slug("city_slug"),
            name: fields.title("name"),
            country_code: country::read_country_code(fields, reference),
            population: fields.integer("population", 1..=1_000_000_000),
            source: fields.line("source", text::MAX_DESCRIPTION),
        }
    }
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
    /// Reads `country_code`, `city` and `city_slug` as files and staff give them. A slug of the gazetteer wins over the name, because
    /// names repeat. When all three fields are missing, the current place stays; otherwise the city is looked up again.
    pub fn from_row(fields: &mut Fields<'_>, reference: &ReferenceData, current: Self) -> Self {
        let names = ["country_code", "city", "city_slug"];
        let is_kept = names.into_iter().all(|name| fields.is_kept(name));
        let (mut country_code, mut city) = (current.country_code.clone(), current.city.clone());
        fields.update("country_code", &mut country_code, |fields| {
            country::read_country_code(fields, reference)
        });
        fields.update("city", &mut city, |fields| {
            fields.line("city", text::MAX_TITLE)
        });
        let city_slug = fields.line("city_slug", text::MAX_TITLE);
        if is_kept {
            return current;
        }
        if let Some(listed) = reference.gazetteer.with_slug(&country_code, &city_slug) {
            return Self {
                country_code,
                city: listed.name.clone(),
                city_slug: listed.slug.clone(),
            };
        }
        if !city.is_empty() {
            return Self::resolve(fields, reference, country_code, city);
        }
        if !city_slug.is_empty() && fields.is_valid("country_code") {
            let reason =
                format!("No city of {country_code} has this slug: give its name in `city`.");
            fields.refuse("city_slug", reason);
        }
        Self {
            country_code,
            ..Self::default()
        }
    }

    /// Reads `country_code` and `city` as accounts give them; `read` reads the city. The city is looked up again when one of the two
    /// fields differs from the current place.
    pub fn from_body(
        fields: &mut Fields<'_>,
        reference: &ReferenceData,
        current: Self,
        read: impl FnOnce(&mut Fields<'_>) -> String,
    ) -> Self {
        let (mut country_code, mut city) = (current.country_code.clone(), current.city.clone());
        fields.update("country_code", &mut country_code, |fields| {
            country::read_country_code(fields, reference)
        });
        fields.update("city", &mut city, read);
        if current.country_code == country_code && current.city == city {
            return current;
        }
        if city.is_empty() {
            return Self {
                country_code,
                ..Self::default()
            };
        }
        Self::resolve(fields, reference, country_code, city)
    }

    /// Looks a city up by name. A city that the gazetteer does not have keeps its name as written, and gets a slug made from it.
    fn resolve(
        fields: &mut Fields<'_>,
        reference: &ReferenceData,
        country_code: String,
        city: String,
    ) -> Self {
        if let Some(listed) = reference.gazetteer.find(&country_code, &city) {
            return Self {
                city: listed.name.clone(),
                city_slug: listed.slug.clone(),
                country_code,
            };
        }
        let slug = reference.gazetteer.slug_for_unlisted(&country_code, &city);
        if slug.is_none() {
            fields.refuse("city", "Write the city's name in letters.");
        }
        Self {
            country_code,
            city,
            city_slug: slug.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gazetteer::Gazetteer;
    use super::*;
    use serde_json::json;

    #[test]
    fn an_unknown_city_gets_a_slug_of_its_own() {
        let city = |slug: &str, name: &str, country: &str| City {
            slug: slug.to_owned(),
            name: name.to_owned(),
            country_code: country.to_owned(),
            population: None,
            source: String::new(),
        };
        let reference = ReferenceData {
            countries: ["NG", "KE"].map(str::to_owned).into(),
            gazetteer: std::sync::Arc::new(Gazetteer::new(vec![
                city("aba-ng-2", "Aba", "NG"),
                city("aba-ng", "Aba", "NG"),
                city("uige", "Uíge", "AO"),
                city("tala-ke", "Tala", "KE"),
            ])),
            ..ReferenceData::default()
        };
        let place = |row: serde_json::Value| {
            let mut fields = Fields::new(row.as_object().unwrap());
            let place = Place::from_row(&mut fields, &reference, Place::default());
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
        assert_eq!(place(json!({"country_code": "KE"})), pair("", ""));
        assert_eq!(
            place(json!({"country_code": "NG", "city": "Aba", "city_slug": "aba-ng-2"})),
            pair("Aba", "aba-ng-2")
        );
        assert!(place(json!({"country_code": "NG", "city": "???"})).is_err());
        assert!(place(json!({"country_code": "FR", "city": "Paris"})).is_err());
        assert!(place(json!({"country_code": "NG", "city_slug": "uige"})).is_err());
    }
}
