//! The metrics that `PromQL` expressions read.

use std::collections::BTreeSet;

/// A metric, with the labels by which an expression selects its series.
pub(crate) type Selector = (String, BTreeSet<String>);

/// The metrics that an expression reads.
pub(crate) fn selectors(expression: &str) -> BTreeSet<Selector> {
    const CLAUSES: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];
    const OPERATORS: [&str; 5] = ["and", "or", "unless", "bool", "offset"];
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let (mut found, mut rest) = (BTreeSet::new(), expression);
    while let Some(first) = rest.chars().next() {
        if first == '[' {
            rest = rest.split_once(']').unwrap().1;
            continue;
        }
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end.max(first.len_utf8()));
        rest = after.trim_start();
        if end == 0 || first.is_ascii_digit() || OPERATORS.contains(&name) {
            continue;
        }
        if CLAUSES.contains(&name) {
            if rest.starts_with('(') {
                rest = rest.split_once(')').unwrap().1;
            }
        } else if let Some(matchers) = rest.strip_prefix('{') {
            let (matchers, after) = matchers.split_once('}').unwrap();
            // Every second part is the value of a label.
            let labels = matchers
                .split('"')
                .step_by(2)
                .map(|label| label.trim_matches(|c: char| !is_name(c)).to_owned())
                .filter(|label| !label.is_empty())
                .collect();
            found.insert((name.to_owned(), labels));
            rest = after;
        } else if !["(", "by", "without"].iter().any(|it| rest.starts_with(*it)) {
            // Neither a function nor an aggregation, so it is a metric.
            found.insert((name.to_owned(), BTreeSet::new()));
        }
    }
    found
}
