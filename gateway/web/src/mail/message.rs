//! A mail as it is sent.

use anyhow::Context as _;
use lettre::Message;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, HeaderName, HeaderValue, MIME_VERSION_1_0};
use uuid::Uuid;

use super::NewMessage;
use crate::domain::email;

/// In characters.
const MAX_SUBJECT: usize = 200;

/// A mail as it is sent (RFC 5322, RFC 2045). `id` is that of its row.
///
/// # Errors
/// The recipient is not an address of [`email::parse`].
pub fn message(sender: &Mailbox, id: Uuid, mail: NewMessage<'_>) -> anyhow::Result<Message> {
    let recipient = email::parse(mail.recipient).map_err(anyhow::Error::msg);
    let recipient = recipient.context("the recipient")?.parse()?;
    // Row ids are unique over all services.
    let id = format!("<{id}@{}>", sender.email.domain());
    // Programs that answer mails, such as for somebody on leave, do not answer this one (RFC 3834).
    let auto_submitted = HeaderValue::new(
        HeaderName::new_from_ascii_str("Auto-Submitted"),
        "auto-generated".to_owned(),
    );
    let message = Message::builder()
        .from(sender.clone())
        .to(Mailbox::new(None, recipient))
        .subject(one_line(mail.subject))
        .message_id(Some(id))
        .raw_header(auto_submitted)
        .header(MIME_VERSION_1_0)
        .header(ContentType::TEXT_PLAIN)
        .body(plain_text(mail.body))?;
    Ok(message)
}

/// The lines of a body, without control characters. Some servers take a lone CR for the end of a line, and could be made to see the end of
/// the mail there.
fn plain_text(body: &str) -> String {
    let is_removed = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    let body = body.replace("\r\n", "\n");
    body.replace(is_removed, " ")
}

/// A subject as one line of at most [`MAX_SUBJECT`] characters. It may contain names that customers chose: no reader decodes a part of them as
/// an encoded word (RFC 2047).
fn one_line(subject: &str) -> String {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let line: String =
        subject.chars().map(|c| if is_break(c) { ' ' } else { c }).take(MAX_SUBJECT).collect();
    line.replace("=?", "= ?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::mailbox;

    const ADA: &str = "ada@studio.example";

    /// The mail as a strict parser reads it, which also refuses headers that are not ours.
    fn read(recipient: &str, subject: &str, body: &str) -> anyhow::Result<testing::mail::Mail> {
        let mail = NewMessage { recipient, subject, body };
        let (sender, id) =
            (mailbox("Mchezo <no-reply@mchezo.example>").unwrap(), kit::ids::row_id());
        let read = testing::mail::read(&message(&sender, id, mail)?.formatted()).unwrap();
        // A retry has the same Message-ID.
        assert_eq!(read.message_id, format!("<{id}@mchezo.example>"));
        Ok(read)
    }

    fn subject(subject: &str) -> String {
        let read = read(ADA, subject, "The body.\n").unwrap();
        assert_eq!(read.body, "The body.\n");
        read.subject
    }

    #[test]
    fn names_in_all_scripts_survive_encoding() {
        for name in [
            "Ada",
            "Ọ̀yọ́ ń lọ",
            "Forêt enchantée",
            "\u{644}\u{639}\u{628}\u{629} \u{627}\u{644}\u{635}\u{62d}\u{631}\u{627}\u{621}",
            "ጨዋታ 🎮",
            "Ọ̀yọ́ forêt ".repeat(15).trim_end(),
        ] {
            let body =
                format!("{name} has asked.\n\nhttps://mchezo.example/link/a=b?c\n.\nFrom {name}\n");
            let read = read(ADA, name, &body).unwrap();
            assert_eq!((read.subject.as_str(), &read.body), (name, &body));
            assert_eq!(read.to, ADA);
            assert_eq!(read.from, "Mchezo <no-reply@mchezo.example>");
        }
    }

    #[test]
    fn a_name_in_a_subject_adds_no_header() {
        for name in [
            "Savanna\r\nBcc: eve@evil.example",
            "Savanna\nBcc: eve@evil.example\n\n<script>",
            "Savanna\rBcc: eve@evil.example",
            "Savanna\u{2028}Bcc: eve@evil.example",
            "Savanna\u{85}\u{2029}\u{b}\u{c}\0Bcc: eve@evil.example",
            "Sävanna\r\n Bcc: eve@evil.example",
        ] {
            subject(name);
        }
    }

    #[test]
    fn an_encoded_word_in_a_name_is_not_decoded() {
        let encoded = "=?utf-8?q?Your_invoice=0d=0aBcc:_eve?= has made 5 calls";
        let read = subject(encoded);
        assert!(read.contains("Your_invoice=0d=0aBcc:_eve"), "{read}");
    }

    #[test]
    fn a_very_long_subject_is_cut_and_folded() {
        for letter in ["x", "é", "\u{1F3AE}", "x "] {
            let read = subject(&letter.repeat(100_000));
            assert!(read.chars().count() <= MAX_SUBJECT, "{read}");
        }
    }

    #[test]
    fn lines_of_a_body_are_folded_and_without_control_characters() {
        for letter in ["x", "é", "\u{1F3AE}", "x "] {
            let body = format!("{}\n", letter.repeat(10_000));
            let read = read(ADA, "A subject", &body).unwrap();
            assert!(read.body == body, "{letter}");
        }
        let body = "a\r\nb\r.\rc\0d\u{85}e\tf\n";
        let read = read(ADA, "A subject", body).unwrap();
        assert_eq!(read.body, "a\nb . c d e\tf\n");
    }
}
