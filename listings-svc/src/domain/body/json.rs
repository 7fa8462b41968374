//! Parses the JSON body of a request.

use std::collections::BTreeMap;

use kit::api::json_object::{self, ParseError};
use serde_json::{Map, Value};

use crate::domain::field_reader::{Fields, Problems};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadBody {
    /// The body is not a JSON object in UTF-8; holds the message.
    NotAnObject(&'static str),
    /// The body is a JSON object with invalid fields, such as a field that is given twice.
    Fields(Problems),
}

/// Parses a JSON object.
///
/// # Errors
/// The body is not a JSON object in UTF-8, or has invalid fields.
pub fn object(body: &[u8]) -> Result<Map<String, Value>, BadBody> {
    json_object::parse(body).map_err(|unreadable| match unreadable {
        ParseError::NotUtf8 => BadBody::NotAnObject("The body is not UTF-8. Send JSON in UTF-8."),
        ParseError::NotAnObject => {
            BadBody::NotAnObject("The body is not a JSON object. Send the fields in one object.")
        }
        ParseError::Fields(problems) => BadBody::Fields(to_problems(&problems)),
    })
}

/// The invalid fields, as many as a report lists (§4.3).
fn to_problems(bad: &BTreeMap<String, &'static str>) -> Problems {
    let nothing = Map::new();
    let mut fields = Fields::new(&nothing);
    for (path, reason) in bad {
        fields.refuse(path, *reason);
    }
    fields.finish(()).err().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_of_bad_fields_is_bounded() {
        let twice = |n| format!(r#""field-{n}": 0, "field-{n}": 0"#);
        let body: Vec<String> = (0..1_000).map(twice).collect();
        let bad = object(format!("{{{}}}", body.join(",")).as_bytes());
        let Err(BadBody::Fields(problems)) = bad else {
            panic!("{bad:?}");
        };
        assert_eq!(problems.len(), 51);
        assert!(problems["*"].starts_with("950 more"), "{}", problems["*"]);
    }
}
