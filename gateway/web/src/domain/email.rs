//! E-mail addresses of people.

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use lettre::Address;

/// The longest address of RFC 5321.
const MAX_BYTES: usize = 254;
/// A domain in other letters may be longer than in ASCII.
const MAX_TYPED_BYTES: usize = 1_000;

/// Parses an address that a mail can be sent to, in one form: people whose addresses differ only by case, or by how their domain is written,
/// are one person.
///
/// # Errors
/// A sentence that says how to correct it.
pub fn parse(text: &str) -> Result<String, &'static str> {
    canonical(text).ok_or("Write an e-mail address such as ada@studio.example.")
}

fn canonical(text: &str) -> Option<String> {
    if text.len() > MAX_TYPED_BYTES {
        return None;
    }
    let (mailbox, domain) = text.trim().rsplit_once('@')?;
    // Few servers take mailboxes that are not ASCII (RFC 6531), or quoted.
    if !mailbox.is_ascii() || mailbox.contains('"') {
        return None;
    }
    let domain = Uts46::new()
        .to_ascii(
            domain.as_bytes(),
            AsciiDenyList::STD3,
            Hyphens::CheckFirstLast,
            DnsLength::Verify,
        )
        .ok()?;
    // Other mail servers can reach a domain that has a dot, and whose last label is no number, as that of an IP address.
    let (_, last) = domain.rsplit_once('.')?;
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    let address = format!("{}@{domain}", mailbox.to_ascii_lowercase());
    let is_good = !is_number && address.len() <= MAX_BYTES && address.parse::<Address>().is_ok();
    is_good.then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::{NewMessage, message};

    #[test]
    fn an_address_has_one_form() {
        for (typed, address) in [
            (" Ada@Studio.Example ", "ada@studio.example"),
            ("ada@bücher.example", "ada@xn--bcher-kva.example"),
            ("ada@BÜCHER。example", "ada@xn--bcher-kva.example"),
            ("ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example"),
            ("O'Ada+games@b-c.example", "o'ada+games@b-c.example"),
        ] {
            assert_eq!(parse(typed).unwrap(), address);
            assert_eq!(parse(address).unwrap(), address);
        }
    }

    #[test]
    fn an_address_that_is_accepted_can_be_mailed() {
        let long = format!("{}@b.example", "a".repeat(250));
        let labels = format!("ada@{}.example", "b.".repeat(130));
        let sender = "Mchezo <no-reply@mchezo.example>".parse().unwrap();
        for typed in [
            "ada@bücher.example",
            "ada@123.example",
            "!#$%&'*+-/=?^_`{|}~@b.example",
            "\"ada b\"@studio.example",
            "\"ada\"@studio.example",
            "ada@[192.0.2.1]",
            "ada@[IPv6:2001:db8::1]",
            "ada@192.0.2.1",
            "ada@studio.example.",
            "ada..b@studio.example",
            ".ada@studio.example",
            "ada@-studio.example",
            "ada@stu_dio.example",
            "ada@xn--a.example",
            "adä@studio.example",
            "\u{212a}ada@studio.example",
            "",
            "ada",
            "ada@localhost",
            "ada@b.example\r\nBcc: eve@b.example",
            "ada@b.example, eve@b.example",
            "Ada <ada@b.example>",
            "ada@b.example\0",
            "адa@b.example",
            long.as_str(),
            labels.as_str(),
        ] {
            let is_good = ["bücher", "123.", "!#$"].iter().any(|it| typed.contains(it));
            let parsed = parse(typed);
            assert_eq!(parsed.is_ok(), is_good, "{typed:?}");
            let recipient = parsed.unwrap_or_else(|_| typed.to_owned());
            let mail =
                NewMessage { recipient: &recipient, subject: "A subject", body: "A body.\n" };
            let sent = message(&sender, kit::ids::row_id(), mail);
            assert_eq!(sent.is_ok(), is_good, "{typed:?}");
        }
    }
}
