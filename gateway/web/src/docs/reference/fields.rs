//! The fields of a body as rows, at any depth.

use serde_json::{Map, Value};

use super::document::{Document, Shape};

/// The deepest level of objects whose fields are listed.
const MAX_DEPTH: usize = 8;
/// Rows of a body. The largest body of ours has some fifty.
const MAX_FIELDS: usize = 400;

/// A field of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// From the top of the body: `data[].title`.
    pub path: String,
    pub shape: Shape,
    /// Whether the object around the field always has it.
    pub is_required: bool,
    /// Whether a write ignores it.
    pub is_read_only: bool,
    pub description: String,
}

/// The fields of a body, in the order in which their objects name them.
pub(super) fn fields(document: Document<'_>, schema: &Value) -> Vec<Field> {
    let mut rows = Rows { document, fields: Vec::new(), around: Vec::new() };
    rows.push_object(schema, "");
    rows.fields
}

struct Rows<'d> {
    document: Document<'d>,
    fields: Vec<Field>,
    /// The objects around the current one, so that a recursive object is listed once.
    around: Vec<&'d Map<String, Value>>,
}

impl<'d> Rows<'d> {
    /// Appends the fields of an object, or of the objects in an array. `path` is that of the object.
    fn push_object(&mut self, schema: &'d Value, path: &str) {
        let alternatives = self.document.alternatives(schema);
        let has = |name: &str| {
            let mut objects = alternatives.iter().filter_map(|it| it.get("properties"));
            objects.all(|properties| properties.get(name).is_some())
        };
        for object in &alternatives {
            let is_around = self.around.iter().any(|it| std::ptr::eq(*it, *object));
            if is_around || self.around.len() >= MAX_DEPTH {
                continue;
            }
            self.around.push(object);
            if let Some(items) = object.get("items") {
                self.push_object(items, &format!("{path}[]"));
            }
            let required = required(object);
            for (name, property) in properties(object, &required) {
                let is_required = required.contains(&name) && has(name);
                let path = match path {
                    "" => name.to_owned(),
                    path => format!("{path}.{name}"),
                };
                self.push_field(&path, property, is_required);
            }
            if let Some(others) = object.get("additionalProperties")
                && others.is_object()
            {
                self.push_field(&format!("{path}.*"), others, false);
            }
            self.around.pop();
        }
    }

    fn push_field(&mut self, path: &str, schema: &'d Value, is_required: bool) {
        if self.fields.len() >= MAX_FIELDS {
            return;
        }
        let shape = self.document.shape(schema);
        // Several alternatives may have it.
        if let Some(known) = self.fields.iter_mut().find(|field| field.path == path) {
            known.is_required &= is_required;
            let values = shape.values.into_iter();
            let new: Vec<String> =
                values.filter(|value| !known.shape.values.contains(value)).collect();
            known.shape.values.extend(new);
            known.shape.is_open |= shape.is_open;
        } else {
            let read_only = schema.get("readOnly").or_else(|| {
                let resolved = self.document.resolve(schema);
                resolved.get("readOnly")
            });
            self.fields.push(Field {
                path: path.to_owned(),
                shape,
                is_required,
                is_read_only: read_only == Some(&Value::Bool(true)),
                description: self.document.description(schema).to_owned(),
            });
        }
        self.push_object(schema, path);
    }
}

fn required(object: &Map<String, Value>) -> Vec<&str> {
    let names = object.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

/// The properties: the required ones in the order of their list, which is that of the contract, and then the others.
fn properties<'d>(
    object: &'d Map<String, Value>,
    required: &[&'d str],
) -> Vec<(&'d str, &'d Value)> {
    let Some(properties) = object.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let first = required.iter().filter_map(|name| Some((*name, properties.get(*name)?)));
    let others = properties
        .iter()
        .map(|(name, it)| (name.as_str(), it))
        .filter(|(name, _)| !required.contains(name));
    first.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(document: &Value, schema: &Value) -> Vec<String> {
        let fields = fields(Document(document), schema);
        let rows = fields.into_iter().map(|field| {
            let mark = if field.is_required { "" } else { "?" };
            format!("{}{mark} {}", field.path, field.shape.kind)
        });
        rows.collect()
    }

    #[test]
    fn nested_fields_have_their_path() {
        let document = json!({"row": {
            "type": "object",
            "properties": {
                "title": {"type": "string"},
                "creator": {"type": "object", "properties": {"handle": {"type": "string"}}, "required": ["handle"]},
                "links": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "required": ["title", "creator"],
        }});
        let schema = json!({
            "type": "object",
            "properties": {
                "success": {"const": true},
                "data": {"type": "array", "items": {"$ref": "#/row"}},
            },
            "required": ["success", "data"],
        });
        let expected = [
            "success boolean",
            "data array of objects",
            "data[].title string",
            "data[].creator object",
            "data[].creator.handle string",
            "data[].links? object",
            "data[].links.*? string",
        ];
        assert_eq!(paths(&document, &schema), expected);
    }

    #[test]
    fn a_field_that_one_alternative_lacks_is_optional() {
        let object = |names: &[&str]| {
            let properties = names.iter();
            let properties =
                properties.map(|name| ((*name).to_owned(), json!({"type": "integer"})));
            let properties: Map<String, Value> = properties.collect();
            json!({"type": "object", "properties": properties, "required": names})
        };
        let schema = json!({"oneOf": [object(&["a", "b"]), object(&["a", "c"])]});
        let expected = ["a integer", "b? integer", "c? integer"];
        assert_eq!(paths(&json!({}), &schema), expected);
    }

    #[test]
    fn recursive_deep_and_wide_schemas_are_cut_off() {
        let tree = json!({"tree": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/tree"}}},
        }});
        let expected = ["children? array of objects", "name? string"];
        assert_eq!(paths(&tree, &tree["tree"]), expected);
        let mut deep = json!({"type": "string"});
        for _ in 0..50 {
            deep = json!({"type": "object", "properties": {"a": deep}});
        }
        assert_eq!(paths(&json!({}), &deep).len(), MAX_DEPTH);
        let wide: Map<String, Value> = (0..5_000).map(|n| (n.to_string(), json!({}))).collect();
        let wide = json!({"type": "object", "properties": wide});
        assert_eq!(paths(&json!({}), &wide).len(), MAX_FIELDS);
    }
}
