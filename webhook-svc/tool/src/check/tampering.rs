//! Changes of messages after they are signed.

use crate::signature::Headers;

/// A secret that no receiver has.
pub(super) const OTHER_SECRET: &str = "svc_whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// What happens to a message after it is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tampering {
    None,
    NoTimestamp,
    OtherTimestamp,
    /// A second timestamp of now, after or before the signed one.
    TimestampAfter,
    TimestampBefore,
    NoSignature,
    EmptySignature,
    HalfSignature,
    /// More characters behind the right ones.
    LongSignature,
    LastCharacter,
    NotHexadecimal,
    /// Not a change: the message is signed with [`OTHER_SECRET`].
    OtherSecret,
    /// Not a change: the message is signed with the empty key, which anybody has. A receiver that splits its secrets at spaces may have it too.
    EmptySecret,
    ChangedBody,
    NoBody,
}

impl Tampering {
    /// Changes a message that was signed at `now`, in Unix seconds.
    pub(super) fn apply(self, headers: &mut Headers, body: &mut Vec<u8>, now: i64) {
        match self {
            Self::None | Self::OtherSecret | Self::EmptySecret => {}
            Self::NoTimestamp => headers.retain(|(name, _)| !name.ends_with("timestamp")),
            Self::OtherTimestamp => {
                let other = now.saturating_sub(1).to_string();
                let timestamps = headers.iter_mut();
                for (_, value) in timestamps.filter(|(name, _)| name.ends_with("timestamp")) {
                    value.clone_from(&other);
                }
            }
            Self::TimestampAfter => {
                let more = timestamps(headers, now);
                headers.extend(more);
            }
            Self::TimestampBefore => {
                let more = timestamps(headers, now);
                headers.splice(0..0, more);
            }
            Self::NoSignature => headers.retain(|(name, _)| !name.contains("signature")),
            Self::EmptySignature => change_signatures(headers, |_| String::new()),
            Self::HalfSignature => change_signatures(headers, half),
            Self::LongSignature => change_signatures(headers, longer),
            Self::LastCharacter => change_signatures(headers, last_changed),
            Self::NotHexadecimal => change_signatures(headers, |_| "ü".repeat(64)),
            Self::ChangedBody => body.push(b' '),
            Self::NoBody => body.clear(),
        }
    }
}

/// A header with the timestamp `now` for each that has one.
fn timestamps(headers: &Headers, now: i64) -> Headers {
    let mut names: Vec<&'static str> = headers.iter().map(|(name, _)| *name).collect();
    names.retain(|name| name.ends_with("timestamp"));
    let header = |name| (name, now.to_string());
    names.into_iter().map(header).collect()
}

/// Changes each signature. During a rotation, a header of Standard Webhooks has two.
fn change_signatures(headers: &mut Headers, change: fn(&str) -> String) {
    for (_, value) in headers.iter_mut().filter(|(name, _)| name.contains("signature")) {
        let changed: Vec<String> = value.split(' ').map(change).collect();
        *value = changed.join(" ");
    }
}

fn half(signature: &str) -> String {
    signature.chars().take(signature.len() / 2).collect()
}

/// Base64 ends in `=`: there the characters come before the last four, so that it remains base64.
fn longer(signature: &str) -> String {
    let at = if signature.ends_with('=') { 4 } else { 0 };
    let (before, last) = signature.split_at(signature.len().saturating_sub(at));
    let junk = if at == 0 { "zz" } else { "AAAA" };
    format!("{before}{junk}{last}")
}

/// Base64 of 32 bytes ends in `=`, and not all bits of the character before count: there the character before these two is changed.
fn last_changed(signature: &str) -> String {
    let at = if signature.ends_with('=') { 3 } else { 1 };
    let (before, last) = signature.split_at(signature.len().saturating_sub(at));
    let other = if last.starts_with('0') { '1' } else { '0' };
    let rest: String = last.chars().skip(1).collect();
    format!("{before}{other}{rest}")
}
