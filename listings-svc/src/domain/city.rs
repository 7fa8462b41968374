//! Cities as rows give them: a row of the gazetteer, and the place of a listing (§2.5).

use super::fields::Fields;
use super::gazetteer::City;
use super::known::Known;
use super::{Read, country, text};

impl Read for City {
    const NAME: &'static str = "city_slug";

    fn read(fields: &mut Fields<'_>, known: &Known) -> Self {
        fields.pass_over(&["latitude", "longitude", "geonameid"]);
        Self {
            slug: fields.slug("city_slug"),
            name: fields.title("name"),
            country_code: country::read_known(fields, known),
            population: fields.integer("population", 1..=1_000_000_000),
            source: fields.line("source", text::DESCRIPTION),
        }
    }
}

/// Where a listing is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// A known country.
    pub country_code: String,
    /// As the gazetteer writes it, or as its owner does; empty when not given.
    pub city: String,
    /// Empty when there is no city.
    pub city_slug: String,
}

impl Place {
    /// The fields `country_code`, `city` and `city_slug`, as files and staff give them. A slug that the gazetteer has wins over the text,
    /// because names repeat. Where none of the fields is there, what is held stays; where one is, the city is looked up anew.
    pub fn read(fields: &mut Fields<'_>, known: &Known, held: Option<Self>) -> Self {
        let mut names = ["country_code", "city", "city_slug"].into_iter();
        let changes = names.any(|name| fields.has(name));
        let country = held.as_ref().map(|held| held.country_code.clone());
        let country_code = fields.or_held("country_code", country, |fields| {
            country::read_known(fields, known)
        });
        let city = fields.or_held(
            "city",
            held.as_ref().map(|held| held.city.clone()),
            |fields| fields.line("city", text::TITLE),
        );
        let city_slug = fields.line("city_slug", text::TITLE);
        if let Some(held) = held.filter(|_| !changes) {
            return held;
        }
        if let Some(listed) = known.gazetteer.with_slug(&country_code, &city_slug) {
            return Self {
                country_code,
                city: listed.name.clone(),
                city_slug: listed.slug.clone(),
            };
        }
        if !city.is_empty() {
            return Self::named(fields, known, country_code, city);
        }
        if !city_slug.is_empty() && fields.is_good("country_code") {
            let reason = format!("No city of {country_code} has this slug.");
            fields.refuse("city_slug", reason);
        }
        Self {
            country_code,
            ..Self::default()
        }
    }

    /// The fields `country_code` and `city`, as accounts give them; `read` reads the city. When one of them differs from what is held, the
    /// city is looked up anew.
    pub fn sent(
        fields: &mut Fields<'_>,
        known: &Known,
        held: Option<Self>,
        read: impl FnOnce(&mut Fields<'_>) -> String,
    ) -> Self {
        let country = held.as_ref().map(|held| held.country_code.clone());
        let country_code = fields.or_held("country_code", country, |fields| {
            country::read_known(fields, known)
        });
        let city = fields.or_held("city", held.as_ref().map(|held| held.city.clone()), read);
        match held {
            Some(held) if held.country_code == country_code && held.city == city => held,
            _ if city.is_empty() => Self {
                country_code,
                ..Self::default()
            },
            _ => Self::named(fields, known, country_code, city),
        }
    }

    /// The city that a text names; unknown ones are kept as written, under a slug of their own.
    fn named(fields: &mut Fields<'_>, known: &Known, country_code: String, city: String) -> Self {
        if let Some(listed) = known.gazetteer.find(&country_code, &city) {
            return Self {
                city: listed.name.clone(),
                city_slug: listed.slug.clone(),
                country_code,
            };
        }
        let own = known.gazetteer.own_slug(&country_code, &city);
        if own.is_none() {
            fields.refuse("city", "Write the city's name in letters.");
        }
        Self {
            country_code,
            city,
            city_slug: own.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gazetteer::Gazetteer;
    use super::*;
    use serde_json::json;

    #[test]
    fn an_unknown_city_is_kept_with_a_slug_of_its_own() {
        let city = |slug: &str, name: &str, country: &str| City {
            slug: slug.to_owned(),
            name: name.to_owned(),
            country_code: country.to_owned(),
            population: None,
            source: String::new(),
        };
        let known = Known {
            countries: ["NG", "KE"].map(str::to_owned).into(),
            gazetteer: Gazetteer::new(vec![
                city("aba-ng-2", "Aba", "NG"),
                city("aba-ng", "Aba", "NG"),
                city("uige", "Uíge", "AO"),
                city("tala-ke", "Tala", "KE"),
            ]),
            ..Known::default()
        };
        let place = |row: serde_json::Value| {
            let mut fields = Fields::new(row.as_object().unwrap());
            let place = Place::read(&mut fields, &known, None);
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
