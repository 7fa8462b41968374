//! The typed fields of an operation's form, and the call that they describe.

use pages::Fields;
use pages::site::Texts;

use crate::docs::reference::{Location, Operation, Parameter};
use crate::domain::snippet::{ApiCall, target};

/// The most characters of a parameter, and of a body.
pub(super) const MAX_VALUE: usize = 1_000;
pub(super) const MAX_BODY: usize = 20_000;
/// The name of the field with the body.
pub(super) const BODY: &str = "body";

/// Names and values of fields.
#[derive(Debug, Default, Clone)]
pub(super) struct TypedCall(Vec<(String, String)>);

impl TypedCall {
    pub(super) fn new(pairs: Vec<(String, String)>) -> Self {
        let plain = |text: String| {
            // A browser sends line ends as CR LF. A shell cannot pass NUL on.
            text.replace("\r\n", "\n").replace('\0', "")
        };
        let pairs = pairs.into_iter();
        Self(pairs.map(|(name, value)| (name, plain(value))).collect())
    }

    /// The fields of a form that is opened: they have the values of the reference's example.
    pub(super) fn prefilled(operation: &Operation) -> Self {
        let parameters = operation.parameters.iter();
        let values = parameters.filter_map(|it| Some((field_name(it), it.example_value()?)));
        let body = operation
            .body
            .as_ref()
            .map(|body| (BODY.to_owned(), body.example_text()));
        Self(values.chain(body).collect())
    }

    pub(super) fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

/// The name of a parameter's field. It has the location, since two locations may have parameters with the same name.
pub(super) fn field_name(parameter: &Parameter) -> String {
    format!("{}.{}", parameter.location, parameter.name)
}

/// The typed call. A value that the API refuses is still sent; a value that no request can contain is an error of its field.
pub(super) fn call(
    operation: &Operation,
    typed: &TypedCall,
    api_url: &str,
    texts: &Texts,
) -> Result<ApiCall, Fields> {
    let mut errors = Fields::default();
    let too_long = |most: usize| texts.say_of("try-too-long", &most.to_string());
    let (mut in_path, mut query, mut headers) = (Vec::new(), Vec::new(), Vec::new());
    for parameter in &operation.parameters {
        let name = field_name(parameter);
        let value = typed.get(&name);
        if value.chars().count() > MAX_VALUE {
            errors.add(&name, too_long(MAX_VALUE));
        }
        match parameter.location {
            // HTTP clients remove dot segments from a path.
            Location::Path if ["", ".", ".."].contains(&value) => {
                errors.add(&name, texts.say("try-path-empty"));
            }
            Location::Path => in_path.push((parameter.name.as_str(), value)),
            Location::Header if !is_header(value) => {
                errors.add(&name, texts.say("try-not-a-header"));
            }
            _ if value.is_empty() => {}
            Location::Query => query.push((parameter.name.as_str(), value)),
            Location::Header => headers.push((parameter.name.clone(), value.trim().to_owned())),
        }
    }
    let body = operation.body.as_ref().map(|_| typed.get(BODY).to_owned());
    if body
        .as_ref()
        .is_some_and(|body| body.chars().count() > MAX_BODY)
    {
        errors.add(BODY, too_long(MAX_BODY));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(ApiCall {
        method: operation.method.clone(),
        url: format!("{api_url}{}", target(&operation.path, &in_path, &query)),
        variable: operation.variable(),
        headers,
        body,
    })
}

/// Whether every client can send this value of a header.
fn is_header(value: &str) -> bool {
    value
        .chars()
        .all(|character| (' '..='~').contains(&character))
}

#[cfg(test)]
mod tests {
    use gateway::domain::key::GraceRange;
    use pages::site::Language;

    use super::*;
    use crate::docs::reference::Reference;

    const API: &str = "https://api.example/v1";

    fn english() -> &'static Texts {
        Texts::of(Language::English)
    }

    fn reference() -> Reference {
        let api = gateway::router::API;
        let document = gateway::openapi::document(API, 2026, GraceRange::default(), api).unwrap();
        Reference::read(document.to_string().as_bytes(), API).unwrap()
    }

    fn typed(pairs: &[(&str, &str)]) -> TypedCall {
        let pairs = pairs.iter();
        TypedCall::new(
            pairs
                .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn every_form_as_it_is_opened_is_a_call() {
        let reference = reference();
        for operation in &reference.operations {
            let typed = TypedCall::prefilled(operation);
            let call = call(operation, &typed, API, english()).unwrap();
            assert!(
                call.url.starts_with(API) && !call.url.contains('{'),
                "{call:?}"
            );
            assert_eq!(call.body.is_some(), operation.body.is_some());
            if let Some(body) = &call.body {
                assert!(body.starts_with('{'), "{}: {body}", operation.id);
            }
        }
    }

    #[test]
    fn what_is_empty_is_left_out_and_what_is_typed_is_sent_as_it_is() {
        let reference = reference();
        let games = reference.operation("listGames").unwrap();
        let pairs = [
            ("query.limit", "many"),
            ("query.q", "a&b=c d"),
            ("query.cursor", ""),
            ("header.If-None-Match", " W/\"1\" "),
            ("query.unknown", "x"),
            ("limit", "3"),
        ];
        let call = call(games, &typed(&pairs), API, english()).unwrap();
        assert_eq!(call.url, format!("{API}/games?q=a%26b%3Dc%20d&limit=many"));
        assert_eq!(
            call.headers,
            [("If-None-Match".to_owned(), "W/\"1\"".to_owned())]
        );
        assert_eq!((call.variable, call.body), ("SERVICE_API_KEY", None));
    }

    #[test]
    fn what_no_request_can_hold_is_an_error_of_its_field() {
        let reference = reference();
        let change = reference.operation("updateGame").unwrap();
        let long = "x".repeat(MAX_BODY + 1);
        let pairs = [
            ("path.slug", ".."),
            ("header.If-Match", "é\n"),
            ("query.dry_run", &long),
            ("body", &long),
        ];
        let errors = call(change, &typed(&pairs), API, english()).unwrap_err();
        let names: Vec<&String> = errors.by_name.keys().collect();
        assert_eq!(
            names,
            ["body", "header.If-Match", "path.slug", "query.dry_run"]
        );
        let body = typed(&[("body", "{\r\n\0}")]);
        assert_eq!(body.get("body"), "{\n}");
    }
}
