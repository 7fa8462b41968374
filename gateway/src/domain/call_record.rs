//! Calls as the log of the account shows them.

use kit::Code;
use kit::api::text::clip;

use super::key::{Key, KeyKind};

/// The most bytes of path and query that the log holds.
pub const TARGET_BYTES: usize = 300;

/// How long the log holds a call.
pub const LOGGED: time::Duration = time::Duration::days(7);

/// A part of an account's log. Strangers may use public and revoked keys. Their calls must not evict
/// those of the other keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogPart {
    /// Calls with keys that work and are not public.
    Private,
    /// Calls with public keys, and with keys that no longer work.
    Exposed,
}

impl LogPart {
    pub const ALL: [Self; 2] = [Self::Private, Self::Exposed];

    /// The part that holds a call with this key, which got this error.
    pub fn of_call(key: &Key, error: Option<Code>) -> Self {
        if key.kind == KeyKind::Public || error == Some(Code::InvalidKey) {
            Self::Exposed
        } else {
            Self::Private
        }
    }

    /// The most calls in this part of a log of `most` calls. Exposed keys have a tenth.
    pub const fn places(self, most: u32) -> u32 {
        let exposed = most / 10;
        match self {
            Self::Private => most - exposed,
            Self::Exposed => exposed,
        }
    }
}

/// Path and query for the log: cut off at [`TARGET_BYTES`], and without API keys, which belong into a header. `prefix` is the prefix of
/// all keys, which are found percent-encoded too.
pub fn target(text: &str, prefix: &str) -> String {
    let (bytes, starts) = percent_decoded(text);
    let mut shown = String::with_capacity(text.len().min(TARGET_BYTES));
    // The first byte after the last key, and where it begins in `text`.
    let (mut next, mut rest) = (0, 0);
    while let Some(key) = find(&bytes[next..], prefix.as_bytes()) {
        let secret = next + key + prefix.len();
        let secret = secret + mode_length(&bytes[secret..]);
        let is_secret = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        next = secret + bytes[secret..].iter().take_while(is_secret).count();
        shown.push_str(&text[rest..starts[secret]]);
        if next > secret {
            shown.push('…');
        }
        rest = starts[next];
    }
    shown.push_str(&text[rest..]);
    clip(&shown, TARGET_BYTES).into_owned()
}

/// The percent-decoded bytes of a text, and where each begins in it; then the length of the text.
fn percent_decoded(text: &str) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut starts) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()));
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let digits = text.get(at + 1..at + 3).filter(|_| *byte == b'%');
        // `from_str_radix` alone would also accept a sign.
        let digits = digits.filter(|digits| digits.bytes().all(|it| it.is_ascii_hexdigit()));
        let encoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(encoded.unwrap_or(*byte));
        starts.push(at);
        at += if encoded.is_some() { 3 } else { 1 };
    }
    starts.push(text.len());
    (bytes, starts)
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// The length of the mode in a key, such as that of `live_`.
fn mode_length(text: &[u8]) -> usize {
    let modes = ["live_", "test_"];
    let found = modes.into_iter().find(|mode| text.starts_with(mode.as_bytes()));
    found.map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_are_redacted_in_the_log() {
        let shown = |text| target(text, "svc_");
        assert_eq!(shown("/v1/games?q=kora"), "/v1/games?q=kora");
        assert_eq!(
            shown("/v1/games?key=svc_live_abcDEF123&q=svc_test_x9"),
            "/v1/games?key=svc_live_…&q=svc_test_…"
        );
        assert_eq!(shown("/v1/games?s=svc_whsec_abc/x"), "/v1/games?s=svc_…/x");
        assert_eq!(shown("/v1/svc_"), "/v1/svc_");
    }

    #[test]
    fn percent_encoded_keys_are_redacted_in_the_log() {
        let shown = |text| target(text, "svc_");
        assert_eq!(
            shown("/v1/games?key=svc%5Flive%5FabcDEF123&q=x"),
            "/v1/games?key=svc%5Flive%5F…&q=x"
        );
        assert_eq!(shown("/v1/games/%73vc_live_abc%44EF%31"), "/v1/games/%73vc_live_…");
        // Malformed percent-encodings stay as they are.
        for text in ["/v1/games?q=100%", "/v1/%zz%4", "/v1/é%C3%A9%+1", "/v1/%"] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown("/é%svc_test_x%é"), "/é%svc_test_…%é");
    }

    proptest! {
        #[test]
        fn no_encoding_hides_a_key(before in "[a-z%/é]{0,9}", encoded in vec(any::<bool>(), 30)) {
            let key = "svc_live_0123456789abcdefghijk";
            let written: String = key
                .chars()
                .zip(encoded)
                .map(|(c, encoded)| if encoded { format!("%{:02x}", u32::from(c)) } else { c.to_string() })
                .collect();
            let shown = target(&format!("/{before}/{written}/end"), "svc_");
            let decoded = percent_encoding::percent_decode_str(&shown).decode_utf8_lossy();
            prop_assert!(!decoded.contains("0123") && shown.ends_with("…/end"), "{shown}");
        }
    }

    #[test]
    fn a_long_target_is_cut_between_characters() {
        let long = format!("/v1/games?q={}", "ä".repeat(400));
        let shown = target(&long, "svc_");
        assert!(shown.len() <= TARGET_BYTES && shown.len() > TARGET_BYTES - 4);
        assert!(long.starts_with(shown.strip_suffix('…').unwrap()));
    }

    #[test]
    fn a_target_that_fits_is_whole() {
        let whole = format!("/v1/games?q={}", "a".repeat(TARGET_BYTES - 12));
        assert_eq!(target(&whole, "svc_"), whole);
    }
}
