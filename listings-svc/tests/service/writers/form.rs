//! The forms of the dashboard: what a person types for the fields of a call, and what the dashboard sends then.

use serde_json::{Map, Value};
use web::listings::TypedListing;

/// The names and the texts of fields, as a browser sends them.
type Typed = Vec<(String, String)>;

/// The fields as the dashboard sends them; `None` if a person cannot type one of the values.
pub(super) fn sent(kind: &str, body: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut typed = Typed::new();
    if kind == "game" {
        typed.push(("creator".to_owned(), "studio".to_owned()));
    }
    for (field, value) in body {
        typed.extend(typed_value(field, value)?);
    }
    let kind = kind.parse().unwrap();
    Some(TypedListing::new(typed).body(kind))
}

fn typed_value(field: &str, value: &Value) -> Option<Typed> {
    let text = |text: String| vec![(field.to_owned(), text)];
    match (field, value) {
        // The form asks for a stage, and has one field for the site of an event.
        ("stage", Value::Null) => None,
        ("url", value) => value.is_null().then(Typed::new),
        ("online", Value::Bool(true)) => Some(text("yes".to_owned())),
        ("online", value) => (!value.is_string()).then(Typed::new),
        ("genres" | "platforms" | "roles", value) => {
            let ticked = items(value)?.iter().map(Value::as_str);
            ticked
                .map(|it| Some((field.to_owned(), it?.to_owned())))
                .collect()
        }
        ("credits", value) => {
            let lines: Option<Vec<String>> = items(value)?.iter().map(credit_line).collect();
            Some(text(lines?.join("\r\n\r\n")))
        }
        ("links", Value::Null) => Some(Typed::new()),
        ("links", value) => value.as_object()?.iter().map(typed_link).collect(),
        ("release_year", value) => value.is_number().then(|| text(format!(" {value} "))),
        (_, Value::Null) => Some(text(String::new())),
        // Spaces around them have no effect.
        ("city" | "ends_at" | "trailer_url" | "website", value) => {
            Some(text(format!(" {} ", value.as_str()?)))
        }
        (_, value) => {
            let lines = value.as_str()?.replace("\r\n", "\n");
            Some(text(lines.replace('\n', "\r\n")))
        }
    }
}

/// The items of a list that may be left out.
fn items(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Null => Some(&[]),
        value => value.as_array().map(Vec::as_slice),
    }
}

fn credit_line(credit: &Value) -> Option<String> {
    let parts = ["name", "role", "handle"];
    let has_others = credit
        .as_object()?
        .keys()
        .any(|key| !parts.contains(&key.as_str()));
    let parts = parts.map(|part| credit[part].as_str().unwrap_or_default());
    // A line without a name is no credit.
    (!has_others && !parts[0].is_empty()).then(|| parts.join(" | "))
}

fn typed_link((key, address): (&String, &Value)) -> Option<(String, String)> {
    let address = match address {
        Value::Null => "",
        address => address.as_str()?,
    };
    Some((format!("links.{key}"), format!(" {address} ")))
}
