//! A file with one JSON object a line, as a list of messages.

use kit::api::json_object::{self, ParseError};
use prost_reflect::{DynamicMessage, MessageDescriptor, Value};
use serde_json::Value as Json;

use super::field;

/// Reads the messages of a file. An error names the line.
pub(super) fn read(row: &MessageDescriptor, path: &str) -> Result<Vec<Value>, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{path} cannot be read: {error}"))?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, number)| {
            message(row, line).map_err(|problem| format!("{path}, line {number}: {problem}"))
        })
        .collect()
}

fn message(row: &MessageDescriptor, line: &str) -> Result<Value, String> {
    let object = json_object::parse(line.as_bytes()).map_err(|error| match error {
        ParseError::Fields(fields) => {
            let problems = fields.iter().map(|(name, reason)| format!("{name}: {reason}"));
            problems.collect::<Vec<_>>().join(" ")
        }
        ParseError::NotUtf8 | ParseError::NotAnObject => "it is not a JSON object".to_owned(),
    })?;
    let mut message = DynamicMessage::new(row.clone());
    for (name, value) in object {
        let Some(field) = row.get_field_by_name(&name) else {
            let known: Vec<String> = row.fields().map(|it| it.name().to_owned()).collect();
            return Err(format!("`{name}` is no field; the fields are {}", known.join(", ")));
        };
        let text = match value {
            Json::String(text) => text,
            other => other.to_string(),
        };
        let value = field::parse(&field.kind(), &text);
        message.set_field(&field, value.map_err(|problem| format!("{name}: {problem}"))?);
    }
    Ok(Value::Message(message))
}
