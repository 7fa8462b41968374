//! Formats JSON for examples: a value that fits is on one line, and the members of an object are in the order of the table of its fields.

use serde_json::Value;

use super::fields::Field;

/// The longest line that holds a whole value.
const LINE: usize = 90;

/// Lays out a value with these fields.
pub fn laid_out(value: &Value, fields: &[Field]) -> String {
    let layout = Layout { fields };
    let mut text = String::new();
    layout.push(value, "", 0, &mut text);
    text
}

struct Layout<'a> {
    fields: &'a [Field],
}

impl Layout<'_> {
    fn push(&self, value: &Value, path: &str, depth: usize, text: &mut String) {
        let line = self.line(value, path);
        let is_empty = matches!(line.as_str(), "{}" | "[]");
        let is_scalar = !value.is_object() && !value.is_array();
        if is_scalar || is_empty || 2 * depth + line.chars().count() <= LINE {
            text.push_str(&line);
            return;
        }
        let new_line = |depth: usize, text: &mut String| {
            text.push('\n');
            text.push_str(&"  ".repeat(depth));
        };
        let (opening, closing) = if value.is_array() {
            ('[', ']')
        } else {
            ('{', '}')
        };
        text.push(opening);
        for (index, (name, member, path)) in self.members(value, path).into_iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            new_line(depth + 1, text);
            if let Some(name) = name {
                // A string in JSON's notation.
                text.push_str(&Value::from(name).to_string());
                text.push_str(": ");
            }
            self.push(member, &path, depth + 1, text);
        }
        new_line(depth, text);
        text.push(closing);
    }

    fn line(&self, value: &Value, path: &str) -> String {
        let members = || self.members(value, path).into_iter();
        match value {
            Value::Object(_) => {
                let members = members().map(|(name, member, path)| {
                    let name = Value::from(name.unwrap_or_default());
                    format!("{name}: {}", self.line(member, &path))
                });
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            Value::Array(_) => {
                let members = members().map(|(_, member, path)| self.line(member, &path));
                format!("[{}]", members.collect::<Vec<_>>().join(", "))
            }
            scalar => scalar.to_string(),
        }
    }

    /// The members with their names and paths; those of an array have no name.
    fn members<'v>(
        &self,
        value: &'v Value,
        path: &str,
    ) -> Vec<(Option<&'v str>, &'v Value, String)> {
        match value {
            Value::Array(items) => items
                .iter()
                .map(|item| (None, item, format!("{path}[]")))
                .collect(),
            Value::Object(members) => {
                let mut members: Vec<_> = members
                    .iter()
                    .map(|(name, member)| {
                        let path = match path {
                            "" => name.clone(),
                            path => format!("{path}.{name}"),
                        };
                        (Some(name.as_str()), member, path)
                    })
                    .collect();
                members.sort_by_key(|(_, _, path)| self.position(path));
                members
            }
            _ => Vec::new(),
        }
    }

    /// The position of a field in the table; those that it lacks come last.
    fn position(&self, path: &str) -> usize {
        let position = self.fields.iter().position(|field| field.path == path);
        position.unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document::Shape;
    use super::*;

    fn field(path: &str) -> Field {
        Field {
            path: path.to_owned(),
            shape: Shape::default(),
            is_required: true,
            is_read_only: false,
            description: String::new(),
        }
    }

    #[test]
    fn members_stand_in_the_order_of_the_table_and_short_values_on_a_line() {
        let fields = ["success", "data", "data[].title", "data[].genres", "meta"].map(field);
        let title =
            "A long title that does not fit on the line with the others, by far, by very far";
        let value = json!({
            "meta": {"b": 1, "a": "\"x\""},
            "data": [{"genres": ["a", "b"], "title": title}],
            "success": true,
        });
        let text = laid_out(&value, &fields);
        let expected = format!(
            "{{\n  \"success\": true,\n  \"data\": [\n    {{\n      \"title\": \"{title}\",\n      \"genres\": [\"a\", \"b\"]\n    }}\n  ],\n  \
             \"meta\": {{\"a\": \"\\\"x\\\"\", \"b\": 1}}\n}}"
        );
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert_eq!(laid_out(&json!({}), &[]), "{}");
    }
}
