//! Codes of countries (§2.5).

use contracts::reference_data;

use super::field_reader::Fields;

/// Parses a country code in upper or lower case.
pub fn parse_code(raw: &str) -> Result<String, String> {
    if raw.len() == 2 && raw.bytes().all(|b| b.is_ascii_alphabetic()) {
        Ok(raw.to_ascii_uppercase())
    } else {
        Err("Write the country's two letters, such as NG.".to_owned())
    }
}

/// Reads the required field `country_code`, which names a country of the directory.
pub fn read_country_code(fields: &mut Fields<'_>) -> String {
    fields
        .required("country_code", "Give a country_code: two letters, such as NG.")
        .and_then(|value| {
            fields.text("country_code", value, |raw| match parse_code(raw) {
                Ok(code) if reference_data::country(&code).is_none() => {
                    Err(format!("{code} is not a country of this directory, which covers Africa."))
                }
                read => read,
            })
        })
        .unwrap_or_default()
}
