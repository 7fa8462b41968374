//! A client of the public API that checks each response.

use std::io::Read;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, StatusCode, header::HeaderMap};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::openapi::{self, Sent};
use crate::{Fleet, Service, eventually};

/// Calls the public API with one key, or without a key.
#[derive(Debug, Clone)]
pub struct Client {
    base_url: String,
    key: Option<String>,
    http: reqwest::Client,
}

/// A response, after its envelope has been checked (§2.1).
#[derive(Debug)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// The decoded body.
    pub text: String,
    /// The parsed body; null if there is none (HEAD, 304).
    pub body: Value,
}

impl Client {
    pub fn new(fleet: &Fleet, key: &str) -> Self {
        Self::build(fleet, Some(key.to_owned()))
    }

    pub fn anonymous(fleet: &Fleet) -> Self {
        Self::build(fleet, None)
    }

    fn build(fleet: &Fleet, key: Option<String>) -> Self {
        let http = reqwest::Client::builder()
            .timeout(Duration::from_mins(2))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self { base_url: fleet.base_url.clone(), key, http }
    }

    /// The same client at another replica of the gateway.
    #[must_use]
    pub fn at(&self, gateway: &Service) -> Self {
        let http = gateway.http.as_ref().unwrap();
        Self { base_url: format!("{http}/v1"), ..self.clone() }
    }

    /// A request to `path`, for [`Client::send`].
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base_url));
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    pub async fn get(&self, path: &str) -> Response {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Response {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Response {
        self.send(self.request(Method::PATCH, path).json(body)).await
    }

    /// Sends a request; checks the envelope of the response, and compares both with the OpenAPI document.
    pub async fn send(&self, request: RequestBuilder) -> Response {
        let request = request.build().unwrap();
        let what = format!("{} {}", request.method(), request.url());
        let is_head = request.method() == Method::HEAD;
        let sent = Sent::new(&request);
        let response = self.http.execute(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let text = decoded(&headers, &response.bytes().await.unwrap());
        let body = if is_head || status == StatusCode::NOT_MODIFIED {
            assert_eq!(text, "", "{what}");
            Value::Null
        } else {
            let body: Value =
                serde_json::from_str(&text).unwrap_or_else(|e| panic!("{what}: {e}: {text}"));
            check_envelope(&what, status, &headers, &body);
            body
        };
        if let Some(document) = openapi::document(&self.base_url).await {
            document.check(&sent, status, &headers, &body);
        }
        Response { status, headers, text, body }
    }

    /// All rows of a list, page by page; checks that `total` is their number. A list that other tests change between two pages is read again.
    pub async fn all(&self, path: &str, limit: usize) -> Vec<Value> {
        let what = format!("{path} does not change while it is read, and its total is true");
        eventually(&what, async || self.unchanged(path, limit).await).await
    }

    /// All rows of a list; `None` if it changed between two pages. If one listing came and another went, `total` stays the same, but the rows do not
    /// add up to it.
    async fn unchanged(&self, path: &str, limit: usize) -> Option<Vec<Value>> {
        let mut rows: Vec<Value> = Vec::new();
        let (mut total, mut cursor) = (None, None::<String>);
        let join = if path.contains('?') { '&' } else { '?' };
        loop {
            let after = cursor.map_or_else(String::new, |cursor| format!("&cursor={cursor}"));
            let page = self.get(&format!("{path}{join}limit={limit}{after}")).await;
            assert_eq!(page.status, 200, "{}", page.text);
            let data = page.body["data"].as_array().unwrap();
            assert!(data.len() <= limit);
            rows.extend(data.iter().cloned());
            let meta = &page.body["meta"];
            if *total.get_or_insert_with(|| meta["total"].clone()) != meta["total"] {
                return None;
            }
            cursor = meta["next_cursor"].as_str().map(ToOwned::to_owned);
            if cursor.is_none() {
                return (meta["total"] == rows.len()).then_some(rows);
            }
            assert_eq!(data.len(), limit, "a page with a next one is full");
        }
    }

    /// All rows of a list as values of `T`; checks that each row has the fields of `T` and no others.
    pub async fn rows<T: Serialize + DeserializeOwned>(&self, path: &str, limit: usize) -> Vec<T> {
        let rows = self.all(path, limit).await;
        rows.iter().map(|row| shaped(path, row)).collect()
    }

    /// `data` of a single read as a `T`; checks that it has the fields of `T` and no others.
    pub async fn one<T: Serialize + DeserializeOwned>(&self, path: &str) -> T {
        shaped(path, self.get(path).await.data())
    }
}

/// Decodes a body according to its `Content-Encoding`.
fn decoded(headers: &HeaderMap, bytes: &[u8]) -> String {
    let coding = headers.get("content-encoding");
    let coding = coding.map_or("", |coding| coding.to_str().unwrap());
    let mut decoder: Box<dyn Read + '_> = match coding {
        // A response to HEAD has the header but no body.
        _ if bytes.is_empty() => Box::new(bytes),
        "" => Box::new(bytes),
        "gzip" => Box::new(flate2::read::GzDecoder::new(bytes)),
        "zstd" => Box::new(zstd::Decoder::new(bytes).unwrap()),
        other => panic!("no coding is called {other}"),
    };
    let mut text = String::new();
    decoder.read_to_string(&mut text).unwrap();
    text
}

fn shaped<T: Serialize + DeserializeOwned>(path: &str, json: &Value) -> T {
    let value: T = T::deserialize(json).unwrap_or_else(|error| panic!("{path}: {error}: {json}"));
    assert_eq!(serde_json::to_value(&value).unwrap(), *json, "{path}");
    value
}

impl Response {
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_else(|| panic!("no error: {}", self.text))
    }

    pub fn assert_error(&self, status: u16, code: &str) {
        assert_eq!((self.status.as_u16(), self.code()), (status, code), "{}", self.text);
    }

    /// `data` of a success.
    pub fn data(&self) -> &Value {
        assert!(self.status.is_success(), "{}", self.text);
        &self.body["data"]
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// Checks what holds for every response (§2.1), apart from its schema.
fn check_envelope(what: &str, status: StatusCode, headers: &HeaderMap, body: &Value) {
    let success = status.is_success();
    assert_eq!(body["success"], success, "{what}: {body}");
    assert_eq!(body.get("data").is_some(), success, "{what}: {body}");
    assert_eq!(body.get("error").is_some(), !success, "{what}: {body}");
    assert_eq!(body.get("fields").is_some(), body["error"]["code"] == "invalid", "{what}: {body}");
    assert_eq!(
        body["error"].get("resets_at").is_some(),
        body["error"]["code"] == "quota_exceeded",
        "{what}: {body}"
    );
    let id = body["meta"]["request_id"].as_str().unwrap_or_else(|| panic!("{what}: {body}"));
    assert!(id.starts_with("req_") && id.len() >= 30, "{what}: {id}");
    assert_eq!(headers["x-request-id"], id, "{what}");
    if status == 429 {
        let wait =
            headers.get("retry-after").and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        assert!(wait.is_some_and(|seconds| seconds >= 1), "{what}: {headers:?}");
    }
    if status == 401 {
        assert_eq!(headers["www-authenticate"], "Bearer", "{what}");
    }
}
