//! The coding of the body of a request. Services read bodies as they are, and decompress nothing.

use http::HeaderMap;
use http::header::CONTENT_ENCODING;

/// The most characters of a coding that an error repeats.
const SHOWN: usize = 32;

/// The first coding of a body other than `identity`, shortened for an error.
pub fn content_coding(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(CONTENT_ENCODING).iter();
    let mut codings =
        lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    let coding = codings.find(|it| !it.is_empty() && !it.eq_ignore_ascii_case(b"identity"))?;
    let coding = String::from_utf8_lossy(coding);
    Some(coding.chars().take(SHOWN).collect())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn identity_is_no_coding() {
        let long = "x".repeat(40);
        let absent: &[&str] = &[];
        for (lines, coding) in [
            (absent, None),
            (&[""], None),
            (&["identity"], None),
            (&["Identity, identity", "IDENTITY"], None),
            (&["gzip"], Some("gzip")),
            (&["identity, x-gzip"], Some("x-gzip")),
            (&["identity", " ZSTD ,br"], Some("ZSTD")),
            (&[long.as_str()], Some(&long[..32])),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(CONTENT_ENCODING, HeaderValue::from_str(line).unwrap());
            }
            assert_eq!(content_coding(&headers).as_deref(), coding, "{lines:?}");
        }
    }
}
