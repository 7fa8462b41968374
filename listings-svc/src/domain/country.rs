//! Countries (§2.5).

use serde::{Deserialize, Serialize};

use super::content::Content;
use super::entity::Entity;
use super::field_reader::Fields;
use super::reference_data::ReferenceData;
use super::{FromImportRow, text};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Country {
    /// Two letters, upper case (ISO 3166-1).
    pub code: String,
    pub name: String,
    /// Where the data was collected.
    pub source: String,
}

impl Content for Country {
    const ENTITY: Entity = Entity::Country;

    fn key(&self) -> &str {
        &self.code
    }
}

impl FromImportRow for Country {
    const KEY_FIELD: &'static str = "code";

    fn from_import_row(fields: &mut Fields<'_>, _reference: &ReferenceData) -> Self {
        fields.ignore(&["currency", "iso3", "capital", "geonameid"]);
        let code = fields
            .required("code", "Give a code: it identifies the row.")
            .and_then(|value| fields.text("code", value, parse_code))
            .unwrap_or_default();
        Self {
            code,
            name: fields.title("name"),
            source: fields.line("source", text::MAX_DESCRIPTION),
        }
    }
}

/// Parses a country code in upper or lower case.
pub fn parse_code(raw: &str) -> Result<String, String> {
    if raw.len() == 2 && raw.bytes().all(|b| b.is_ascii_alphabetic()) {
        Ok(raw.to_ascii_uppercase())
    } else {
        Err("Write the country's two letters, such as NG.".to_owned())
    }
}

/// Reads the required field `country_code`, which names a country of the directory.
pub fn read_country_code(fields: &mut Fields<'_>, reference: &ReferenceData) -> String {
    fields
        .required(
            "country_code",
            "Give a country_code: two letters, such as NG.",
        )
        .and_then(|value| {
            fields.text("country_code", value, |raw| match parse_code(raw) {
                Ok(code) if !reference.countries.contains(&code) => Err(format!(
                    "{code} is not a country of this directory, which covers Africa."
                )),
                read => read,
            })
        })
        .unwrap_or_default()
}
