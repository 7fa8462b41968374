//! Ids of rows and requests, and secrets.

use rand::RngExt as _;
use rand::distr::Alphanumeric;
use uuid::Uuid;

/// The alphabet of Crockford's base 32 in lower case, without i, l, o and u.
const BASE32: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// An id for a new row: a version 7 UUID (RFC 9562). Later ids sort later, so indexes grow at one end.
#[expect(clippy::disallowed_methods, reason = "the only place that creates ids")]
pub fn row_id() -> Uuid {
    Uuid::now_v7()
}

/// An id for a request: `req_` and 26 characters (§2.1).
pub fn request_id() -> String {
    let mut rest = row_id().as_u128();
    let mut digits = [0; 26];
    for digit in digits.iter_mut().rev() {
        *digit = BASE32[usize::from(rest.to_le_bytes()[0] & 31)];
        rest >>= 5;
    }
    let mut id = String::with_capacity(30);
    id.push_str("req_");
    id.extend(digits.map(char::from));
    id
}

/// A secret: `prefix` and 40 random letters and digits, 238 bits of entropy.
pub fn secret(prefix: &str) -> String {
    let random = rand::rng().sample_iter(Alphanumeric).take(40);
    prefix.chars().chain(random.map(char::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_have_a_prefix_and_differ() {
        let one = secret("staff_");
        assert_eq!(one.len(), 46);
        assert!(one.starts_with("staff_"));
        assert_ne!(one, secret("staff_"));
    }

    #[test]
    fn a_request_id_has_its_prefix_and_length() {
        let id = request_id();
        assert!(id.starts_with("req_"), "{id}");
        assert_eq!(id.len(), 30);
        assert_ne!(id, request_id());
    }
}
