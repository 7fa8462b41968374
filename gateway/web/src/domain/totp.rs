//! One-time codes of an authenticator app (RFC 6238): six digits, 30 seconds, SHA-1, which every app knows.

use time::OffsetDateTime;
use totp_rs::{Builder, Totp};

use super::percent::encoded;

/// The secret that an app and we share.
#[derive(Clone, PartialEq, Eq)]
pub struct SharedSecret(pub [u8; 20]);

impl std::fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedSecret(…)")
    }
}

impl SharedSecret {
    pub fn generate() -> Self {
        Self(rand::random())
    }

    fn totp(&self) -> Totp {
        // The default: six digits, a step of 30 seconds, and one step of difference between clocks.
        Builder::new().with_secret(self.0.to_vec()).build_noncompliant()
    }

    /// The step whose code these six digits are, at `now`. The caller accepts each step once.
    pub fn step_of(&self, code: &str, now: OffsetDateTime) -> Option<i64> {
        let seconds = u64::try_from(now.unix_timestamp()).ok()?;
        let step = self.totp().check(code, seconds)?;
        i64::try_from(step).ok()
    }

    /// The code at `now`, as the app shows it.
    pub fn code(&self, now: OffsetDateTime) -> String {
        let seconds = u64::try_from(now.unix_timestamp()).unwrap_or_default();
        self.totp().generate(seconds).to_string()
    }

    /// In base 32, as people type it into an app.
    pub fn text(&self) -> String {
        self.totp().secret().to_base32()
    }

    /// The address in the QR code.
    pub fn address(&self, email: &str) -> String {
        let email = encoded(email);
        format!("otpauth://totp/Mchezo:{email}?secret={}&issuer=Mchezo", self.text())
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(1970-01-01 00:00:59 UTC);

    /// The secret of RFC 6238, appendix B.
    fn rfc() -> SharedSecret {
        SharedSecret(*b"12345678901234567890")
    }

    #[test]
    fn the_code_equals_the_test_vector_of_rfc_6238() {
        assert_eq!(rfc().code(NOW), "287082");
        assert_eq!(rfc().step_of("287082", NOW), Some(1));
        assert_eq!(rfc().step_of("287083", NOW), None);
        assert_eq!(rfc().text(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    }

    #[test]
    fn a_code_is_accepted_one_step_early_or_late() {
        let step = Duration::seconds(30);
        for (steps, accepted) in [(-2, None), (-1, Some(2)), (1, Some(4)), (2, None)] {
            let code = rfc().code(NOW + step * (2 + steps));
            assert_eq!(rfc().step_of(&code, NOW + step * 2), accepted, "{steps}");
        }
    }

    #[test]
    fn the_otpauth_uri_names_the_person() {
        let address = rfc().address("ada+1@b.example");
        assert!(
            address.starts_with("otpauth://totp/Mchezo:ada%2B1%40b%2Eexample?secret=GEZ"),
            "{address}"
        );
    }
}
