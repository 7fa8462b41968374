//! The header `Idempotency-Key` (§10.4).

use http::HeaderMap;
use kit::Fault;

pub const HEADER: &str = "idempotency-key";
/// The longest key, in characters.
const MAX_LENGTH: usize = 255;

/// Reads the key; empty if none was sent.
pub fn read(headers: &HeaderMap) -> Result<String, Fault> {
    let mut sent = headers.get_all(HEADER).iter();
    let (first, second) = (sent.next(), sent.next());
    let error = |reason: String| Fault::invalid_field("Idempotency-Key", reason);
    if second.is_some() {
        return Err(error("Send this header once.".to_owned()));
    }
    let Some(value) = first else {
        return Ok(String::new());
    };
    let fits = |key: &&str| {
        (1..=MAX_LENGTH).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let key = value.to_str().ok().filter(fits);
    key.map(ToOwned::to_owned).ok_or_else(|| {
        error(format!(
            "Send 1 to {MAX_LENGTH} visible ASCII characters without spaces, such as a UUID."
        ))
    })
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn sent(values: &[&str]) -> Option<String> {
        let mut request = Request::builder();
        for value in values {
            request = request.header(HEADER, *value);
        }
        read(request.body(()).unwrap().headers()).ok()
    }

    #[test]
    fn an_idempotency_key_is_one_header_of_visible_ascii() {
        assert_eq!(sent(&[]).as_deref(), Some(""));
        assert_eq!(sent(&["a-1"]).as_deref(), Some("a-1"));
        assert!(sent(&[&"x".repeat(255)]).is_some());
        for bad in [&[""][..], &["a b"], &["é"], &["a", "a"], &[&"x".repeat(256)]] {
            assert_eq!(sent(bad), None, "{bad:?}");
        }
    }
}
