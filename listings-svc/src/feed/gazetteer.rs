use contracts::listings::v1 as proto;
use kit::feed::NewChange;
use prost::Message as _;

use super::ChangeKind;
use crate::domain::content::Content;
use crate::domain::country::Country;
use crate::domain::gazetteer::City;
use crate::domain::genre::Genre;
use crate::domain::record::GazetteerEntry;

/// An entry of the gazetteer that the feed carries.
pub trait Publish {
    type Message: prost::Message;

    fn message(&self) -> Self::Message;
}

/// The change to publish.
pub fn change<C: Content>(entry: &GazetteerEntry<C>, change_kind: ChangeKind) -> NewChange
where
    GazetteerEntry<C>: Publish,
{
    NewChange {
        entity: C::ENTITY.as_str(),
        id: entry.content.key().to_owned(),
        revision: entry.revision,
        event: change_kind.into(),
        announced: false,
        happening: false,
        state: entry.message().encode_to_vec(),
    }
}

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
