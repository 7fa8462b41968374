//! Countries (§2.5).

use serde::{Deserialize, Serialize};

use super::entity::Entity;
use super::fields::Fields;
use super::known::Known;
use super::record::Content;
use super::{Read, text};

/// A country that listings may be in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Country {
    /// Two letters, upper case (ISO 3166-1).
    pub code: String,
    /// For people.
    pub name: String,
    /// Where the fact was seen.
    pub source: String,
}

impl Content for Country {
    const ENTITY: Entity = Entity::Country;

    fn key(&self) -> &str {
        &self.code
    }
}

impl Read for Country {
    const NAME: &'static str = "code";

    fn read(fields: &mut Fields<'_>, _known: &Known) -> Self {
        fields.pass_over(&["currency", "iso3", "capital", "geonameid"]);
        let code = fields
            .required("code", "Give a code: rows are known by it.")
            .and_then(|value| fields.text("code", value, read_code))
            .unwrap_or_default();
        Self {
            code,
            name: fields.title("name"),
            source: fields.line("source", text::DESCRIPTION),
        }
    }
}

/// Reads a country code, in either case.
pub fn read_code(raw: &str) -> Result<String, String> {
    if raw.len() == 2 && raw.bytes().all(|b| b.is_ascii_alphabetic()) {
        Ok(raw.to_ascii_uppercase())
    } else {
        Err("Write the country's two letters, such as NG.".to_owned())
    }
}

/// The field `country_code`: a country that is known. Required.
pub fn read_known(fields: &mut Fields<'_>, known: &Known) -> String {
    fields
        .required(
            "country_code",
            "Give a country_code: two letters, such as NG.",
        )
        .and_then(|value| {
            fields.text("country_code", value, |raw| match read_code(raw) {
                Ok(code) if !known.countries.contains(&code) => Err(format!(
                    "{code} is not a country of this directory, which covers Africa."
                )),
                read => read,
            })
        })
        .unwrap_or_default()
}
