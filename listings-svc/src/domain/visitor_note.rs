//! Notes of visitors about listings: what they may hold.

use kit::bad_fields::BadFields;

use super::text;
use super::ticket::TicketKind;

/// Maximum length of a text.
const MAX_TEXT: usize = 2_000;
/// The longest address of RFC 5321.
const MAX_EMAIL: usize = 254;
/// Lengths of the id of a form.
const FORM_LENGTHS: std::ops::RangeInclusive<usize> = 16..=100;

/// Why a listing is reported.
pub const REPORT_REASONS: [&str; 5] = ["rights", "deception", "offence", "not_a_game", "other"];

/// A note as it is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteText {
    /// One of [`REPORT_REASONS`]; empty for a correction.
    pub reason: String,
    pub text: String,
    /// May be empty.
    pub email: String,
}

impl NoteText {
    /// Normalizes and checks the text. Every invalid field has its reason in `bad`.
    #[must_use]
    pub fn check(self, kind: TicketKind, bad: &mut BadFields) -> Self {
        let Self {
            mut reason,
            text,
            email,
        } = self;
        match kind {
            TicketKind::Report if REPORT_REASONS.contains(&reason.as_str()) => {}
            TicketKind::Report => {
                let problem = format!("Give one of {}.", REPORT_REASONS.join(", "));
                bad.add("reason", problem);
            }
            _ => reason.clear(),
        }
        let text = match text::paragraphs(&text, MAX_TEXT) {
            Ok(text) if text.is_empty() => Err("Write what is wrong.".to_owned()),
            checked => checked,
        };
        Self {
            reason,
            text: bad.read("text", text).unwrap_or_default(),
            email: bad.read("email", check_email(&email)).unwrap_or_default(),
        }
    }
}

/// People write to the address by hand, so a rough check is enough.
fn check_email(raw: &str) -> Result<String, String> {
    let email = text::line(raw, MAX_EMAIL)?;
    let is_address = email
        .split_once('@')
        .is_some_and(|(person, host)| !person.is_empty() && host.contains('.'));
    if email.is_empty() || (is_address && !email.contains(char::is_whitespace)) {
        return Ok(email);
    }
    Err("Write an e-mail address such as ada@studio.example, or leave it out.".to_owned())
}

/// Whether this may be the id of a form.
pub fn is_form_id(form: &str) -> bool {
    FORM_LENGTHS.contains(&form.len()) && form.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(reason: &str, text: &str, email: &str) -> NoteText {
        NoteText {
            reason: reason.to_owned(),
            text: text.to_owned(),
            email: email.to_owned(),
        }
    }

    fn problems(kind: TicketKind, note: NoteText) -> Vec<String> {
        let mut bad = BadFields::default();
        let _checked = note.check(kind, &mut bad);
        bad.into_fields().into_keys().collect()
    }

    #[test]
    fn a_note_is_normalized() {
        let mut bad = BadFields::default();
        let sent = note("rights", "  The cover\r\nis mine. ", " ada@studio.example ");
        let checked = sent.check(TicketKind::Correction, &mut bad);
        assert!(bad.is_empty(), "{bad:?}");
        let expected = note("", "The cover\nis mine.", "ada@studio.example");
        assert_eq!(checked, expected, "a correction has no reason of a report");
    }

    #[test]
    fn every_invalid_field_is_named() {
        use TicketKind::{Correction, Report};
        assert_eq!(
            problems(Report, note("boring", "", "nobody")),
            ["email", "reason", "text"]
        );
        let long = "x".repeat(2_001);
        for text in ["", " \n ", "a\0b", "\u{200b}", &long] {
            assert_eq!(
                problems(Correction, note("", text, "")),
                ["text"],
                "{text:?}"
            );
        }
        for email in [
            "@b.example",
            "a@b",
            "a b@c.example",
            "a@b.example\nBcc: c@d.example",
        ] {
            assert_eq!(
                problems(Correction, note("", "x", email)),
                ["email"],
                "{email:?}"
            );
        }
        for reason in REPORT_REASONS {
            assert_eq!(problems(Report, note(reason, "x", "")), [""; 0]);
        }
    }

    #[test]
    fn a_form_has_a_random_id() {
        assert!(is_form_id(&"a".repeat(43)));
        for bad in [
            "",
            "short",
            &"a".repeat(101),
            "a b c d e f g h i j",
            "é234567890123456",
        ] {
            assert!(!is_form_id(bad), "{bad:?}");
        }
    }
}
