//! The body of a write: a JSON object, whatever its Content-Type is (§4).

use bytes::Bytes;
use http::HeaderMap;
use kit::http_server::content_coding;
use kit::{Code, Fault};
use serde_json::value::RawValue;

use crate::overload::request_body::bad_json;

/// Some editors write it before UTF-8. A parser of JSON may ignore it (RFC 8259, 8.1).
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The bytes of a JSON object, as they were sent. The service reads its fields.
///
/// # Errors
/// The body has a content coding, could not be read, or is not a JSON object.
pub fn read(headers: &HeaderMap, body: Result<Bytes, Fault>) -> Result<Bytes, Fault> {
    // In the order of §7.1: the length, the coding, and then every other error.
    let is_too_large = |fault: &Fault| fault.code == Code::TooLarge;
    if !body.as_ref().is_err_and(is_too_large) {
        unencoded(headers)?;
    }
    let mut body = body?;
    if body.starts_with(BYTE_ORDER_MARK) {
        body = body.slice(BYTE_ORDER_MARK.len()..);
    }
    object(&body)?;
    Ok(body)
}

/// Rejects a body with a content coding: nothing is decompressed.
fn unencoded(headers: &HeaderMap) -> Result<(), Fault> {
    let Some(coding) = content_coding(headers) else {
        return Ok(());
    };
    let message = format!(
        "The body has the Content-Encoding `{coding}`, and bodies are read as they are. Send it uncompressed, without the header."
    );
    Err(Fault::new(Code::UnsupportedEncoding, message))
}

/// Rejects everything but a JSON object. The service checks the fields.
fn object(body: &[u8]) -> Result<(), Fault> {
    let Ok(text) = str::from_utf8(body) else {
        return Err(bad_json("The body is not UTF-8. Send JSON in UTF-8."));
    };
    if text.trim().is_empty() {
        return Err(bad_json("The body is empty. Send a JSON object."));
    }
    match serde_json::from_str::<&RawValue>(text) {
        Ok(value) if value.get().starts_with('{') => Ok(()),
        Ok(_) => Err(bad_json(
            "The body is JSON, but not a JSON object. Send the fields in one object, in braces.",
        )),
        Err(error) => {
            Err(bad_json(format!("The body is not valid JSON: {error}. Send one JSON object.")))
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::header::CONTENT_ENCODING;

    use super::*;
    use crate::overload::request_limits::too_large;

    #[test]
    fn each_invalid_body_gets_its_own_message() {
        for (body, cause) in [
            (&b"{\"title\": \"Bao\"}"[..], None),
            (b" {} ", None),
            (b"{\"title\": \"caf\xE9\"}", Some("is not UTF-8")),
            (b"\xFF\xFE{\x00}\x00", Some("is not UTF-8")),
            (b"", Some("is empty")),
            (b" \n", Some("is empty")),
            (b"[1]", Some("not a JSON object")),
            (b"null", Some("not a JSON object")),
            (b"{\"title\": ", Some("line 1 column 10")),
            (b"{} {}", Some("line 1 column 4")),
        ] {
            let error = object(body).err();
            let message = error.as_ref().map(|fault| {
                assert_eq!(fault.code, Code::BadJson);
                &*fault.message
            });
            match (message, cause) {
                (None, None) => {}
                (Some(message), Some(cause)) => assert!(message.contains(cause), "{message}"),
                _ => panic!("{body:?}: {message:?}"),
            }
        }
    }

    /// The length of a body in chunks is known when it has been read.
    #[test]
    fn the_length_comes_before_the_coding_and_the_coding_before_other_errors() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        for (error, code) in
            [(too_large(), Code::TooLarge), (bad_json(""), Code::UnsupportedEncoding)]
        {
            assert_eq!(read(&headers, Err(error)).unwrap_err().code, code);
        }
    }

    #[test]
    fn one_byte_order_mark_is_ignored() {
        let marked = |body: &str| read(&HeaderMap::new(), Ok(format!("\u{feff}{body}").into()));
        assert_eq!(marked("{}"), Ok(Bytes::from_static(b"{}")));
        assert_eq!(marked("\u{feff}{}").unwrap_err().code, Code::BadJson);
    }
}
