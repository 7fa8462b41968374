//! A response as a client reads it.

use std::io::Read as _;

use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The body as received.
    pub(crate) bytes: Bytes,
    /// The decompressed body.
    pub(crate) text: String,
    pub(crate) json: Value,
}

impl TestResponse {
    pub(crate) async fn read(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let coding = parts.headers.get("content-encoding");
        let text = decoded(coding.map_or("", |it| it.to_str().unwrap()), &bytes);
        Self {
            status: parts.status,
            headers: parts.headers,
            bytes,
            json: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        }
    }

    /// The status and `error.code`.
    pub(crate) fn error(&self) -> (u16, &str) {
        let code = self.json["error"]["code"].as_str().unwrap_or("none");
        (self.status.as_u16(), code)
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.status == StatusCode::OK && self.json["success"] == true
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The plan that `GET /me` names.
    pub(crate) fn plan(&self) -> &str {
        let plan = &self.json["data"]["account"]["plan"]["name"];
        plan.as_str().unwrap_or("none")
    }

    /// The names of the bad fields.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let fields = self.json["fields"].as_object();
        fields.map_or_else(Vec::new, |map| map.keys().map(String::as_str).collect())
    }
}

/// Decompresses a body. An empty body, such as that of HEAD, stays empty.
fn decoded(coding: &str, bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut decoder: Box<dyn std::io::Read> = match coding {
        _ if bytes.is_empty() => Box::new(bytes),
        "" => Box::new(bytes),
        "gzip" => Box::new(flate2::read::GzDecoder::new(bytes)),
        "br" => Box::new(brotli::Decompressor::new(bytes, 4_096)),
        "zstd" => Box::new(zstd::Decoder::new(bytes).unwrap()),
        other => unreachable!("no coding is called {other}"),
    };
    decoder.read_to_string(&mut text).unwrap();
    text
}
