//! A listing under review, as text with colours.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use contracts::listings::v1 as proto;
use serde_json::Value;

use super::names;
use super::output;
use super::plain::plain;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const OLD: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();

/// What a reviewer sees first: what it is, and what is new in it.
pub(crate) fn differences(review: &proto::GetReviewResponse) -> String {
    let mut text = head(review);
    if review.differences.is_empty() {
        text.push_str("  nothing is different from what was last public\n");
    }
    for difference in &review.differences {
        push_difference(&mut text, difference);
    }
    text
}

/// What has changed in a listing since somebody looked at it.
pub(crate) fn changes(name: &proto::ListingName, differences: &[proto::Difference]) -> String {
    let mut text = format!("{BOLD}{} {}{BOLD:#}\n", name.kind, plain(&name.name));
    push(
        &mut text,
        &format!("  {DIM}changed since it was looked at{DIM:#}"),
    );
    for difference in differences {
        push_difference(&mut text, difference);
    }
    text
}

fn push_difference(text: &mut String, difference: &proto::Difference) {
    push(
        text,
        &format!("  {BOLD}{}{BOLD:#}", plain(&difference.path)),
    );
    for (sign, style, value) in [
        ('-', OLD, &difference.before),
        ('+', NEW, &difference.after),
    ] {
        for line in lines(value) {
            push(text, &format!("    {style}{sign} {line}{style:#}"));
        }
    }
}

/// All of it, with its history.
pub(crate) fn whole(review: &proto::GetReviewResponse) -> String {
    let mut text = head(review);
    let content: Value = serde_json::from_str(&review.content).unwrap_or_default();
    for (name, value) in content.as_object().into_iter().flatten() {
        push(&mut text, &format!("  {BOLD}{}{BOLD:#}", plain(name)));
        for line in of_value(value) {
            push(&mut text, &format!("    {line}"));
        }
    }
    for made in &review.history {
        let at = output::moment(made.at);
        let mut line = format!(
            "  {DIM}revision {} of {} by {} {}: {}{DIM:#}",
            made.revision,
            output::shown(at.as_ref()),
            plain(&made.actor_kind),
            plain(&made.actor),
            names::state(made.state()),
        );
        if !made.changed.is_empty() {
            line.push_str(&plain(&format!(", changed {}", made.changed.join(", "))));
        }
        if !made.reason.is_empty() {
            line.push_str(&plain(&format!(", \u{201c}{}\u{201d}", made.reason)));
        }
        push(&mut text, &line);
    }
    text
}

fn head(review: &proto::GetReviewResponse) -> String {
    let item = review.item.clone().unwrap_or_default();
    let name = item.name.clone().unwrap_or_default();
    let mut text = format!(
        "{BOLD}{} {}{BOLD:#} {}\n",
        name.kind,
        plain(&name.name),
        plain(&item.title)
    );
    let mut about = vec![names::state(review.state()).to_owned()];
    if let Some(since) = output::moment(item.waiting_since) {
        about.push(format!("waiting since {}", output::shown(Some(&since))));
    }
    if !item.submitter.is_empty() {
        about.push(format!("sent in by {}", plain(&item.submitter)));
    }
    if !item.page.is_empty() {
        let state = names::state(item.page_state());
        about.push(format!("under {} ({state})", plain(&item.page)));
    }
    about.push(match review.approved_revision {
        0 => "never public before".to_owned(),
        revision => format!("public at revision {revision}"),
    });
    push(&mut text, &format!("  {DIM}{}{DIM:#}", about.join(", ")));
    text
}

fn push(text: &mut String, line: &str) {
    // Writing to a text does not fail.
    writeln!(text, "{line}").unwrap_or_default();
}

/// The lines of a value that came as JSON; none when it is empty.
fn lines(json: &str) -> Vec<String> {
    if json.is_empty() {
        return Vec::new();
    }
    of_value(&serde_json::from_str(json).unwrap_or_default())
}

fn of_value(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => text.lines().map(plain).collect(),
        Value::Array(items) => items.iter().flat_map(of_value).collect(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| plain(&format!("{name}: {}", of_value(value).join(" "))))
            .collect(),
        other => vec![other.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_a_line_for_each_item() {
        let json = r#"[{"name": "Ada", "role": "code", "handle": null}, "x"]"#;
        assert_eq!(lines(json), ["name: Ada", "role: code", "x"]);
        assert!(lines("").is_empty());
    }
}
