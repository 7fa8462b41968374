//! A listing under review, as coloured text.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use contracts::listings::v1 as proto;
use serde_json::Value;
use url::Url;

use super::name;
use crate::output;
use crate::sanitize::sanitize;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const OLD: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();

/// The listing with its changes since it was rejected, or else with all fields: what a reviewer sees first.
pub(crate) fn differences(review: &proto::GetReviewResponse) -> String {
    let mut text = head(review);
    if review.differences.is_empty() {
        text.push_str("  no change since it was rejected\n");
    }
    for difference in &review.differences {
        push_difference(&mut text, difference);
    }
    text
}

/// The changes of a listing since the revision that was reviewed.
pub(crate) fn changes(name: &proto::ListingName, differences: &[proto::Difference]) -> String {
    let mut text = format!("{BOLD}{} {}{BOLD:#}\n", name.kind, sanitize(&name.name));
    push(&mut text, &format!("  {DIM}changed since it was reviewed{DIM:#}"));
    for difference in differences {
        push_difference(&mut text, difference);
    }
    text
}

fn push_difference(text: &mut String, difference: &proto::Difference) {
    push(text, &format!("  {BOLD}{}{BOLD:#}", sanitize(&difference.path)));
    for (sign, style, value) in [('-', OLD, &difference.before), ('+', NEW, &difference.after)] {
        for line in lines(value) {
            push(text, &format!("    {style}{sign} {line}{style:#}"));
        }
    }
}

/// The whole listing, with its history.
pub(crate) fn whole(review: &proto::GetReviewResponse) -> String {
    let mut text = head(review);
    push_content(&mut text, review);
    push_history(&mut text, review);
    text
}

/// The whole listing as of a revision, what has changed since, and its history up to that revision.
pub(crate) fn as_of(review: &proto::GetReviewResponse, revision: i64) -> String {
    let mut text = head(review);
    push(&mut text, &format!("  {DIM}as of revision {revision}{DIM:#}"));
    push_content(&mut text, review);
    let changed = if review.differences.is_empty() { "no change since" } else { "changed since" };
    push(&mut text, &format!("  {DIM}{changed}{DIM:#}"));
    for difference in &review.differences {
        push_difference(&mut text, difference);
    }
    push_history(&mut text, review);
    text
}

fn push_content(text: &mut String, review: &proto::GetReviewResponse) {
    let content: Value = serde_json::from_str(&review.content).unwrap_or_default();
    for (name, value) in content.as_object().into_iter().flatten() {
        push(text, &format!("  {BOLD}{}{BOLD:#}", sanitize(name)));
        for line in value_lines(value) {
            push(text, &format!("    {line}"));
        }
    }
}

fn push_history(text: &mut String, review: &proto::GetReviewResponse) {
    for revision in &review.history {
        let mut line = format!(
            "  {DIM}revision {}, {}, by {} {}: {}{DIM:#}",
            revision.revision,
            output::format_time(revision.at),
            sanitize(&revision.actor_kind),
            sanitize(&revision.actor),
            name::state(revision.state()),
        );
        if !revision.changed.is_empty() {
            line.push_str(&sanitize(&format!(", changed {}", revision.changed.join(", "))));
        }
        if !revision.account_id.is_empty() {
            let former = match revision.former_account_id.as_str() {
                "" => "no account",
                former => former,
            };
            let moved = format!(", from {former} to {}", revision.account_id);
            line.push_str(&sanitize(&moved));
        }
        if !revision.page.is_empty() {
            let moved = format!(", from {} to {}", revision.former_page, revision.page);
            line.push_str(&sanitize(&moved));
        }
        if !revision.reason.is_empty() {
            line.push_str(&sanitize(&format!(", \u{201c}{}\u{201d}", revision.reason)));
        }
        push(text, &line);
    }
}

fn head(review: &proto::GetReviewResponse) -> String {
    let item = review.item.clone().unwrap_or_default();
    let name = item.name.clone().unwrap_or_default();
    let mut text =
        format!("{BOLD}{} {}{BOLD:#} {}\n", name.kind, sanitize(&name.name), sanitize(&item.title));
    let mut about = vec![name::state(review.state())];
    if item.waiting_since.is_some() {
        let at = output::format_time(item.waiting_since);
        about.push(format!("submitted {at} by {}", sanitize(&item.submitter)));
    } else if !item.submitter.is_empty() {
        about.push(format!("submitted by {}", sanitize(&item.submitter)));
    }
    if !item.page.is_empty() {
        let state = name::state(item.page_state());
        about.push(format!("under {} ({state})", sanitize(&item.page)));
    }
    push(&mut text, &format!("  {DIM}{}{DIM:#}", about.join(", ")));
    if review.rejected_revision > 0 {
        let (revision, reason) = (review.rejected_revision, sanitize(&review.rejection_reason));
        let rejected = format!("rejected at revision {revision}: \u{201c}{reason}\u{201d}");
        push(&mut text, &format!("  {DIM}{rejected}{DIM:#}"));
    }
    text
}

fn push(text: &mut String, line: &str) {
    // Writing to a String never fails.
    writeln!(text, "{line}").unwrap_or_default();
}

/// The lines of a JSON value; none for an empty text.
fn lines(json: &str) -> Vec<String> {
    if json.is_empty() {
        return Vec::new();
    }
    value_lines(&serde_json::from_str(json).unwrap_or_default())
}

fn value_lines(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => match typed_otherwise(text) {
            Some(host) => vec![sanitize(&format!("{text} (host: {host})"))],
            None => text.lines().map(sanitize).collect(),
        },
        Value::Array(items) => items.iter().flat_map(value_lines).collect(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| sanitize(&format!("{name}: {}", value_lines(value).join(" "))))
            .collect(),
        other => vec![other.to_string()],
    }
}

/// The host of an address as DNS has it, in ASCII, if the address has it in other letters, which
/// may look like those of another host.
fn typed_otherwise(text: &str) -> Option<String> {
    // The parser leaves out line breaks, which a description has and no address.
    let url = Url::parse(text).ok().filter(|_| !text.contains(char::is_whitespace))?;
    let host = url.host_str()?;
    let (_, typed) = text.split_once("://")?;
    let is_typed = typed.to_ascii_lowercase().starts_with(host);
    (!is_typed).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_address_is_shown_in_ascii_if_it_was_typed_otherwise() {
        for (address, host) in [
            ("https://store.st\u{435}ampowered.com/app", Some("store.xn--stampowered-pkj.com")),
            ("https://b\u{fc}cher.example", Some("xn--bcher-kva.example")),
            ("https://evil%2Eexample/", Some("evil.example")),
            ("https://Store.SteamPowered.com/app/\u{435}", None),
            ("https://xn--bcher-kva.example/", None),
            ("About \u{435}: https://store.example", None),
            ("https://", None),
            ("https://b\u{fc}cher\n.example", None),
        ] {
            assert_eq!(typed_otherwise(address).as_deref(), host, "{address}");
        }
        let json = r#"{"steam": "https://store.st\u0435ampowered.com/a"}"#;
        let shown =
            "steam: https://store.st\u{435}ampowered.com/a (host: store.xn--stampowered-pkj.com)";
        assert_eq!(lines(json), [shown]);
    }

    #[test]
    fn each_item_of_a_list_is_a_line() {
        let json = r#"[{"name": "Ada", "role": "code", "handle": null}, "x"]"#;
        assert_eq!(lines(json), ["name: Ada", "role: code", "x"]);
        assert!(lines("").is_empty());
    }
}
