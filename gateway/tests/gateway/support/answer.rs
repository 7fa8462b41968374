//! An answer as a caller reads it.

use axum::response::Response;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) json: Value,
}

impl Answer {
    pub(crate) async fn read(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Self {
            status: parts.status,
            headers: parts.headers,
            json: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        }
    }

    /// Status and `error.code`.
    pub(crate) fn refusal(&self) -> (u16, &str) {
        let code = self.json["error"]["code"].as_str().unwrap_or("none");
        (self.status.as_u16(), code)
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.status == StatusCode::OK && self.json["success"] == true
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// Names of the bad fields.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let fields = self.json["fields"].as_object();
        fields.map_or_else(Vec::new, |map| map.keys().map(String::as_str).collect())
    }
}
