//! The JSON of a body.

use std::collections::BTreeMap;

use kit::json_object::{self, ParseError};
use serde_json::{Map, Value};

use crate::domain::fields::{Fields, Problems};

/// Why a body cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadBody {
    /// It is not a JSON object in UTF-8; a sentence about it.
    NotAnObject(&'static str),
    /// It is one, with fields that cannot be taken, such as one that is given twice.
    Fields(Problems),
}

/// Reads a JSON object.
///
/// # Errors
/// When it is not a JSON object in UTF-8, or has fields that cannot be taken.
pub fn object(body: &[u8]) -> Result<Map<String, Value>, BadBody> {
    json_object::parse(body).map_err(|unreadable| match unreadable {
        ParseError::NotUtf8 => BadBody::NotAnObject("the body is not UTF-8"),
        ParseError::NotAnObject => BadBody::NotAnObject("the body is not a JSON object"),
        ParseError::Fields(problems) => BadBody::Fields(report(&problems)),
    })
}

/// As many of the bad fields as a report names (§4.3).
fn report(bad: &BTreeMap<String, &'static str>) -> Problems {
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
