use std::sync::LazyLock;

/// A city of the gazetteer (§2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct City {
    /// Never changes. The slug identifies a city, because names repeat.
    pub slug: &'static str,
    /// As GeoNames writes it.
    pub name: &'static str,
    /// The code of its country.
    pub country_code: &'static str,
    /// `None` when unknown.
    pub population: Option<u32>,
}

/// The cities as lines of slug, name, country and population.
static CITIES: LazyLock<Vec<City>> = LazyLock::new(|| {
    let lines = include_str!("cities.tsv").lines();
    lines.filter_map(parse).collect()
});

/// All cities, by slug. The first call parses them.
pub fn cities() -> &'static [City] {
    &CITIES
}

/// The city with this slug.
pub fn city(slug: &str) -> Option<&'static City> {
    let place = cities().binary_search_by_key(&slug, |city| city.slug);
    cities().get(place.ok()?)
}

fn parse(line: &'static str) -> Option<City> {
    let mut fields = line.split('\t');
    Some(City {
        slug: fields.next()?,
        name: fields.next()?,
        country_code: fields.next()?,
        population: fields.next()?.parse().ok(),
    })
}
