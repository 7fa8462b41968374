//! The cookie of a voter without an account: a random id and its signature. An id without a valid signature is not a voter.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kit::key_ring::KeyRing;
use uuid::Uuid;

/// Separates the key of these cookies from other uses of `secret_keys`.
const PURPOSE: &[u8] = b"mchezo: cookies of voters";

/// A new voter, and the value of the cookie.
#[expect(
    clippy::disallowed_methods,
    reason = "ids of the kit tell when they were made, and this one goes to a browser for a year"
)]
pub(super) fn issue(keys: &KeyRing) -> (Uuid, String) {
    let voter = Uuid::new_v4();
    let signature = keys.sign(PURPOSE, voter.as_bytes());
    let value = [voter.as_bytes(), &signature[..]].concat();
    (voter, URL_SAFE_NO_PAD.encode(value))
}

/// The voter of a cookie, if the signature is valid.
pub(super) fn voter(keys: &KeyRing, value: &str) -> Option<Uuid> {
    let bytes = URL_SAFE_NO_PAD.decode(value).ok()?;
    let (voter, signature) = bytes.split_first_chunk::<16>()?;
    let is_ours = keys.has_signed(PURPOSE, voter, signature);
    is_ours.then(|| Uuid::from_bytes(*voter))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    const NEW: &str = "b:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

    fn keys(text: &str) -> KeyRing {
        text.parse().unwrap()
    }

    #[test]
    fn a_voter_is_known_again_also_after_a_change_of_keys() {
        let (id, value) = issue(&keys(OLD));
        assert_eq!(id.get_version_num(), 4);
        assert_eq!(voter(&keys(OLD), &value), Some(id));
        assert_eq!(voter(&keys(&format!("{NEW},{OLD}")), &value), Some(id));
        assert_eq!(voter(&keys(NEW), &value), None);
        let (other, _) = issue(&keys(OLD));
        assert_ne!(id, other);
    }

    #[test]
    fn no_change_of_a_cookie_makes_another_voter() {
        let ring = keys(OLD);
        let (_, value) = issue(&ring);
        let bytes = URL_SAFE_NO_PAD.decode(&value).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let changed = URL_SAFE_NO_PAD.encode(changed);
            assert_eq!(voter(&ring, &changed), None, "byte {at}");
            let shorter = URL_SAFE_NO_PAD.encode(&bytes[..at]);
            assert_eq!(voter(&ring, &shorter), None, "{at} bytes");
        }
        let unsigned = URL_SAFE_NO_PAD.encode(Uuid::nil());
        for bad in ["", "%", "é", &unsigned, &format!("{value}A")] {
            assert_eq!(voter(&ring, bad), None, "{bad}");
        }
    }
}
