//! `Accept-Encoding` (RFC 9110, 12.5.3).

use http::HeaderMap;
use http::header::ACCEPT_ENCODING;

use super::Coding;

/// The codings that a client accepts. Weights are in thousandths; 0 means not acceptable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AcceptEncoding {
    zstd: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
    /// `*`
    wildcard: Option<u16>,
}

impl AcceptEncoding {
    /// Parses the headers. Malformed members and unknown codings are ignored.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let mut accepted = Self::default();
        for value in headers.get_all(ACCEPT_ENCODING) {
            let parts = value.to_str().unwrap_or_default().split(',');
            for (name, weight) in parts.filter_map(part) {
                if let Some(slot) = accepted.weight_mut(name) {
                    *slot = Some(weight);
                }
            }
        }
        accepted
    }

    /// The coding with the highest weight; among equals, the first in [`Coding::ALL`]. `None` means no coding: if the client
    /// prefers that, if no coding is acceptable (a 406 would help nobody), or if the response is `small`.
    pub fn best(&self, small: bool) -> Option<Coding> {
        // The identity coding is acceptable unless it is excluded. Without a weight of its own, every accepted coding is
        // preferred to it.
        let unnamed = self.wildcard.filter(|weight| *weight == 0);
        let plain = self.identity.or(unnamed);
        if small && plain != Some(0) {
            return None;
        }
        let weight = |coding| self.weight(coding).or(self.wildcard).unwrap_or(0);
        // `max_by_key` returns the last of equals.
        let best = Coding::ALL.into_iter().rev().max_by_key(|it| weight(*it))?;
        let least = plain.unwrap_or(0).max(1);
        (weight(best) >= least).then_some(best)
    }

    fn weight(&self, coding: Coding) -> Option<u16> {
        match coding {
            Coding::Zstd => self.zstd,
            Coding::Gzip => self.gzip,
        }
    }

    fn weight_mut(&mut self, name: &str) -> Option<&mut Option<u16>> {
        let names = [
            ("gzip", &mut self.gzip),
            ("zstd", &mut self.zstd),
            ("identity", &mut self.identity),
            ("*", &mut self.wildcard),
        ];
        // `x-gzip` is the old name of gzip (RFC 9110, 8.4.1.3).
        let name = if name.eq_ignore_ascii_case("x-gzip") {
            "gzip"
        } else {
            name
        };
        let mut names = names.into_iter();
        names
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, slot)| slot)
    }
}

/// `gzip`, or `gzip;q=0.5`.
fn part(text: &str) -> Option<(&str, u16)> {
    let Some((name, parameter)) = text.split_once(';') else {
        return Some((trim(text), 1_000));
    };
    let (q, value) = trim(parameter).split_once('=')?;
    q.eq_ignore_ascii_case("q")
        .then(|| thousandths(value))?
        .map(|weight| (trim(name), weight))
}

/// `0` to `1`, with up to three digits after the point.
fn thousandths(value: &str) -> Option<u16> {
    let (whole, digits) = value.split_once('.').unwrap_or((value, ""));
    if digits.len() > 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let parts = format!("{digits:0<3}").parse().ok()?;
    match (whole, parts) {
        ("0", parts) => Some(parts),
        ("1", 0) => Some(1_000),
        _ => None,
    }
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(values: &[&str]) -> AcceptEncoding {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT_ENCODING, value.parse().unwrap());
        }
        AcceptEncoding::from_headers(&headers)
    }

    fn best(value: &str) -> Option<&'static str> {
        accepted(&[value]).best(false).map(Coding::token)
    }

    #[test]
    fn the_highest_weight_wins_then_our_order() {
        for (value, expected) in [
            ("gzip", "gzip"),
            ("GZip", "gzip"),
            ("x-gzip", "gzip"),
            ("gzip, deflate", "gzip"),
            ("gzip, deflate, br", "gzip"),
            ("gzip, deflate, br, zstd", "zstd"),
            ("br;q=0.9, gzip;q=0.9, zstd;q=0.899", "gzip"),
            ("gzip;q=0.001", "gzip"),
            (" gzip\t;\tQ=0.5 , br ; q=0.4,, ", "gzip"),
            ("*", "zstd"),
            ("*;q=0.5, gzip", "gzip"),
            ("zstd;q=0, *", "gzip"),
            ("identity;q=0.5, gzip;q=0.5", "gzip"),
            ("identity;q=0, zstd;q=0.1", "zstd"),
            ("snappy, gzip;q=0.2", "gzip"),
            ("gzip;q=0, gzip", "gzip"),
        ] {
            assert_eq!(best(value), Some(expected), "{value}");
        }
        let lines = accepted(&["deflate", "zstd;q=0.5", "gzip"]);
        assert_eq!(lines.best(false), Some(Coding::Gzip));
    }

    #[test]
    fn no_coding_is_used_if_none_is_acceptable() {
        assert_eq!(
            AcceptEncoding::from_headers(&HeaderMap::new()).best(false),
            None
        );
        for value in [
            "",
            ",",
            "identity",
            "deflate, snappy, br",
            "gzip;q=0",
            "gzip;q=0.5, identity",
            "*;q=0",
            "identity;q=0",
            "identity, *;q=0.9",
        ] {
            assert_eq!(best(value), None, "{value}");
        }
    }

    #[test]
    fn malformed_members_are_ignored() {
        for value in [
            "gzip;q=2",
            "gzip;q=1.001",
            "gzip;q=0.0001",
            "gzip;q=.5",
            "gzip;q=-1",
            "gzip;q=+1",
            "gzip;q=0.+1",
            "gzip;q=",
            "gzip;q",
            "gzip;level=9",
            "gzip;q=1;q=1",
            "gzip br",
            "gzip/1",
        ] {
            assert_eq!(best(value), None, "{value}");
            assert_eq!(best(&format!("{value}, zstd")), Some("zstd"), "{value}");
        }
        let mut headers = HeaderMap::new();
        let value = http::HeaderValue::from_bytes(b"gz\xffip").unwrap();
        headers.append(ACCEPT_ENCODING, value);
        assert_eq!(AcceptEncoding::from_headers(&headers).best(false), None);
    }

    #[test]
    fn small_responses_are_encoded_only_if_required() {
        for (value, expected) in [
            ("gzip, br, zstd", None),
            ("*", None),
            ("identity;q=0.1, gzip", None),
            ("gzip, identity;q=0", Some(Coding::Gzip)),
            ("gzip, *;q=0", Some(Coding::Gzip)),
            ("*;q=0, identity;q=0.1, gzip", None),
        ] {
            assert_eq!(accepted(&[value]).best(true), expected, "{value}");
        }
    }
}
