//! The header `Idempotency-Key` (§10.4).

use axum::extract::FromRequestParts;
use http::request::Parts;
use kit::Fault;

use crate::errors::ApiError;

pub const HEADER: &str = "idempotency-key";
/// The longest key, in characters.
const MAX_LENGTH: usize = 255;

/// The key; empty if none was sent.
#[derive(Debug)]
pub struct IdempotencyKey(pub String);

impl IdempotencyKey {
    /// For requests that take no key.
    pub fn none() -> Self {
        Self(String::new())
    }
}

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut sent = parts.headers.get_all(HEADER).iter();
        let (first, second) = (sent.next(), sent.next());
        let error =
            |reason: String| ApiError::from(Fault::invalid_field("Idempotency-Key", reason));
        if second.is_some() {
            return Err(error("Send this header once.".to_owned()));
        }
        let Some(value) = first else {
            return Ok(Self(String::new()));
        };
        let fits = |key: &&str| {
            (1..=MAX_LENGTH).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
        };
        let key = value.to_str().ok().filter(fits);
        key.map(|key| Self(key.to_owned())).ok_or_else(|| {
            error(format!(
                "Send 1 to {MAX_LENGTH} visible ASCII characters without spaces, such as a UUID."
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    async fn read(values: &[&str]) -> Option<String> {
        let mut request = Request::builder();
        for value in values {
            request = request.header(HEADER, *value);
        }
        let mut parts = request.body(()).unwrap().into_parts().0;
        let key = IdempotencyKey::from_request_parts(&mut parts, &()).await;
        key.ok().map(|key| key.0)
    }

    #[tokio::test]
    async fn a_key_is_one_header_of_visible_ascii() {
        assert_eq!(read(&[]).await.as_deref(), Some(""));
        assert_eq!(read(&["a-1"]).await.as_deref(), Some("a-1"));
        assert!(read(&[&"x".repeat(255)]).await.is_some());
        for bad in [
            &[""][..],
            &["a b"],
            &["é"],
            &["a", "a"],
            &[&"x".repeat(256)],
        ] {
            assert_eq!(read(bad).await, None, "{bad:?}");
        }
    }
}
