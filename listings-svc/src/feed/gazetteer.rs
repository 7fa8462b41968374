use contracts::listings::v1 as proto;

use super::Publish;
use crate::domain::country::Country;
use crate::domain::gazetteer::City;
use crate::domain::genre::Genre;
use crate::domain::record::GazetteerEntry;

impl Publish for GazetteerEntry<Genre> {
    type Message = proto::Genre;

    fn message(&self) -> proto::Genre {
        proto::Genre {
            key: self.content.key.clone(),
            name: self.content.name.clone(),
        }
    }
}

impl Publish for GazetteerEntry<Country> {
    type Message = proto::Country;

    fn message(&self) -> proto::Country {
        proto::Country {
            code: self.content.code.clone(),
            name: self.content.name.clone(),
        }
    }
}

impl Publish for GazetteerEntry<City> {
    type Message = proto::City;

    fn message(&self) -> proto::City {
        proto::City {
            slug: self.content.slug.clone(),
            name: self.content.name.clone(),
            country_code: self.content.country_code.clone(),
            population: self.content.population,
        }
    }
}
