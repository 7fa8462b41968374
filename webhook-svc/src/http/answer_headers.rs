//! The fields of an answer's head that are stored for the owner of the endpoint: few, short, and nothing that opens a session.

use http::HeaderMap;

/// Maximum fields, bytes of a value, and bytes of all lines.
const MAX_FIELDS: usize = 16;
const MAX_VALUE_BYTES: usize = 128;
const MAX_BYTES: usize = 768;

/// A field with one of these in its name may carry a credential.
const SECRET: [&str; 8] = [
    "cookie", "auth", "token", "secret", "session", "csrf", "api-key", "apikey",
];

/// A line for each field, `name: value`. Values that are cut end with `…`.
pub(super) fn lines(headers: &HeaderMap) -> String {
    let mut lines = String::new();
    let shown = headers.iter().filter(|(name, _)| !is_secret(name.as_str()));
    for (name, value) in shown.take(MAX_FIELDS) {
        let value = String::from_utf8_lossy(value.as_bytes());
        let end = value.floor_char_boundary(MAX_VALUE_BYTES);
        let (shown, rest) = value.split_at(end);
        let cut = if rest.is_empty() { "" } else { "…" };
        let line = format!("{name}: {shown}{cut}\n");
        if lines.len() + line.len() > MAX_BYTES {
            break;
        }
        lines.push_str(&line);
    }
    lines
}

/// `WWW-Authenticate` only asks for a credential.
fn is_secret(name: &str) -> bool {
    name != "www-authenticate" && SECRET.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(fields: &[(&str, &str)]) -> HeaderMap {
        let fields = fields.iter().map(|(name, value)| {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            (HeaderName::try_from(*name).unwrap(), value)
        });
        fields.collect()
    }

    #[test]
    fn fields_are_lines_without_cookies_and_credentials() {
        let found = lines(&headers(&[
            ("content-type", "text/plain"),
            ("set-cookie", "session=1"),
            ("x-auth-token", "2"),
            ("authorization", "Bearer 3"),
            ("x-api-key", "4"),
            ("x-csrf", "5"),
            ("www-authenticate", "Bearer"),
            ("x-error", "signature\tmissing"),
        ]));
        let mut found: Vec<&str> = found.lines().collect();
        found.sort_unstable();
        let expected = [
            "content-type: text/plain",
            "www-authenticate: Bearer",
            "x-error: signature\tmissing",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_long_head_is_stored_in_part() {
        // Cut between two characters, each of two bytes.
        let long = format!("x{}", "é".repeat(2_000));
        let line = lines(&headers(&[("server", &long)]));
        assert_eq!(line, format!("server: x{}…\n", "é".repeat(63)));
        let names: Vec<HeaderName> = (0..200)
            .map(|number| format!("x-{number}").parse().unwrap())
            .collect();
        for (value, most) in [("1", MAX_FIELDS), (long.as_str(), 5)] {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            let many: HeaderMap = names
                .iter()
                .map(|name| (name.clone(), value.clone()))
                .collect();
            let stored = lines(&many);
            assert_eq!(stored.lines().count(), most, "{stored}");
            assert!(stored.len() <= MAX_BYTES);
        }
    }
}
