//! The document: its operations, and compiled schemas.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Draft, Validator};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

pub(crate) struct Document {
    json: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub(super) struct Operation<'a> {
    pub(super) id: &'a str,
    pub(super) json: &'a Value,
}

impl Document {
    /// Closes the schemas of the document: a field or value that they lack is a mistake of the service or of the document.
    pub(crate) fn new(json: Value) -> Self {
        Self { json: testing::openapi::closed(json), validators: Mutex::default() }
    }

    /// The operation for a method and a path below the base address, with the values of the path parameters.
    pub(super) fn find(
        &self,
        method: &Method,
        path: &str,
    ) -> Option<(Operation<'_>, Vec<(String, String)>)> {
        // Methods are case-sensitive.
        let name = method.as_str();
        let method = name.to_lowercase();
        let paths = self.json["paths"].as_object()?.iter();
        // A path without parameters wins over a template that also matches.
        let mut found: Vec<_> =
            paths.filter_map(|(template, item)| Some((item, segments(template, path)?))).collect();
        found.sort_by_key(|(_, segments)| segments.len());
        let (item, segments) = found.into_iter().next()?;
        let json = item.get(&method).filter(|_| name != method)?;
        let id = json["operationId"].as_str()?;
        Some((Operation { id, json }, segments))
    }

    /// The description of a response in the document.
    pub(super) fn response<'a>(
        &'a self,
        operation: &Operation<'a>,
        status: StatusCode,
    ) -> Option<&'a Value> {
        let response = operation.json["responses"].get(status.as_str())?;
        let reference = response["$ref"].as_str();
        reference
            .map_or(Some(response), |reference| self.json.pointer(reference.strip_prefix('#')?))
    }

    /// Validates `value`. The compiled schema is cached under `name`.
    pub(super) fn validate(&self, name: &str, schema: &Value, value: &Value, what: &str) {
        let validator = self.validator(name, schema);
        let errors: Vec<String> = validator
            .iter_errors(value)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(
            errors.is_empty(),
            "{what}: {name} is not as the document says: {errors:#?} in {value}"
        );
    }

    fn validator(&self, name: &str, schema: &Value) -> Arc<Validator> {
        let lock = || self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(name) {
            return Arc::clone(known);
        }
        // References in the schema start at the root.
        let whole = json!({"allOf": [schema], "components": self.json["components"]});
        let compiled = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .build(&whole);
        let compiled = Arc::new(compiled.unwrap_or_else(|error| panic!("{name}: {error}")));
        lock().insert(name.to_owned(), Arc::clone(&compiled));
        compiled
    }
}

/// The path parameters of a path; `None` if the path does not match the template.
fn segments(template: &str, path: &str) -> Option<Vec<(String, String)>> {
    let (mut names, mut values) = (template.split('/'), path.split('/'));
    let mut found = Vec::new();
    loop {
        match (names.next(), values.next()) {
            (None, None) => return Some(found),
            (Some(name), Some(value)) => {
                let parameter = name.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
                match parameter {
                    Some(name) => found.push((name.to_owned(), value.to_owned())),
                    None if name == value => {}
                    None => return None,
                }
            }
            _ => return None,
        }
    }
}
