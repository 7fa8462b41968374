//! Compares requests and responses with the OpenAPI document of the fleet.

mod document;
mod parameters;

use std::collections::HashSet;

use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode, Url};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

pub(crate) use document::Document;
use document::Operation;

/// The parts of a request that the document describes.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
}

impl Sent {
    pub(crate) fn new(request: &reqwest::Request) -> Self {
        let body = request.body().and_then(|body| body.as_bytes());
        Self {
            method: request.method().clone(),
            url: request.url().clone(),
            headers: request.headers().clone(),
            body: body.map(<[u8]>::to_vec),
        }
    }
}

/// The document, which is the same for all fleets of a build. The first gateway that answers returns it.
pub(crate) async fn document(base_url: &str) -> Option<&'static Document> {
    static DOCUMENT: OnceCell<Document> = OnceCell::const_new();
    let read = async || {
        let answer = reqwest::get(format!("{base_url}/openapi.json")).await?;
        let text = answer.error_for_status()?.text().await?;
        Ok::<_, reqwest::Error>(Document::new(serde_json::from_str(&text).unwrap()))
    };
    match DOCUMENT.get_or_try_init(read).await {
        Ok(document) => Some(document),
        // A test of faults may have stopped the gateway. Any other error would silently disable the checks.
        Err(error) if error.is_connect() || error.is_request() => None,
        Err(error) => panic!("{base_url}/openapi.json cannot be read: {error}"),
    }
}

impl Document {
    /// Checks a response. Checks the request as well if it succeeded: many tests send invalid requests on purpose.
    pub(crate) fn check(&self, sent: &Sent, status: StatusCode, headers: &HeaderMap, body: &Value) {
        let what = format!("{} {}: {status}", sent.method, sent.url);
        let path = sent.url.path();
        let path = path.strip_prefix("/v1").unwrap_or(path);
        // The document describes HEAD with GET.
        let is_head = sent.method == Method::HEAD;
        let method = if is_head { Method::GET } else { sent.method.clone() };
        let found = self.find(&method, path);
        let described = found.as_ref().and_then(|(operation, _)| self.response(operation, status));
        let Some(response) = described else {
            // An unknown path, or a wrong method, perhaps with an earlier error. These have no operation in the document.
            let is_operation = found.is_some();
            assert!(!is_operation && !status.is_success(), "{what}: not in the document: {body}");
            if !is_head {
                let error = json!({"$ref": "#/components/schemas/ErrorResponse"});
                self.validate("ErrorResponse", &error, body, &what);
            }
            return;
        };
        let Some((operation, segments)) = found else {
            return;
        };
        self.check_headers(response, headers, &what);
        match response.pointer("/content/application~1json/schema") {
            Some(schema) if !is_head => {
                let key = format!("{} {status}", operation.id);
                self.validate(&key, schema, body, &what);
                check_code(response, body, &what);
            }
            _ => assert!(body.is_null(), "{what}: {body}"),
        }
        if status.is_success() || status == StatusCode::NOT_MODIFIED {
            self.check_request(&operation, &segments, sent, &what);
        }
    }

    fn check_headers(&self, response: &Value, headers: &HeaderMap, what: &str) {
        let none = serde_json::Map::new();
        let described = response["headers"].as_object().unwrap_or(&none);
        for (name, header) in described {
            let values: Vec<&str> =
                headers.get_all(name).iter().map(|value| value.to_str().unwrap()).collect();
            assert!(values.len() <= 1, "{what}: {name} is there {} times", values.len());
            match values.first() {
                Some(value) => {
                    let value = parameters::typed(&header["schema"], value);
                    self.validate(&format!("header {name}"), &header["schema"], &value, what);
                }
                None => assert!(header["required"] != true, "{what}: {name} is missing"),
            }
        }
        // Headers of this API that the document lacks.
        let known: HashSet<String> = described.keys().map(|name| name.to_lowercase()).collect();
        for name in ["etag", "location", "retry-after", "www-authenticate", "idempotency-replayed"]
        {
            let is_known = known.contains(name) || !headers.contains_key(name);
            assert!(is_known, "{what}: the document lacks {name}");
        }
    }

    fn check_request(
        &self,
        operation: &Operation<'_>,
        segments: &[(String, String)],
        sent: &Sent,
        what: &str,
    ) {
        self.check_parameters(operation, segments, sent, what);
        let body = operation.json.get("requestBody");
        let schema = body.and_then(|body| body.pointer("/content/application~1json/schema"));
        if let Some(schema) = schema {
            let body = sent.body.as_deref().unwrap_or_default();
            let body: Value = serde_json::from_slice(body).unwrap();
            let key = format!("{} body", operation.id);
            self.validate(&key, schema, &body, what);
        }
    }
}

/// Asserts that the description of the response names the error code. All errors share one schema.
fn check_code(response: &Value, body: &Value, what: &str) {
    if let Some(code) = body["error"]["code"].as_str() {
        let described = response["description"].as_str().unwrap();
        let named = format!("- `{code}`: ");
        let is_named = described.lines().any(|line| line.starts_with(&named));
        assert!(is_named, "{what}: the document lacks {code}: {body}");
    }
}
