//! A call as a program in JavaScript, with `fetch`, as an ES module.

use super::{ApiCall, literal, members, push_escaped};

/// A program that makes the call and prints the status and the answer.
pub(crate) fn snippet(call: &ApiCall) -> String {
    let mut lines = vec![format!("const response = await fetch({}, {{", literal(&call.url, '\''))];
    if call.method != "GET" {
        lines.push(format!("  method: {},", literal(&call.method, '\'')));
    }
    let key = format!("`Bearer ${{process.env.{}}}`", call.variable);
    let others = members(call, '\'');
    if others.is_empty() {
        lines.push(format!("  headers: {{ Authorization: {key} }},"));
    } else {
        lines.push("  headers: {".to_owned());
        lines.push(format!("    Authorization: {key},"));
        lines.extend(others.iter().map(|header| format!("    {header},")));
        lines.push("  },".to_owned());
    }
    if let Some(body) = &call.body {
        lines.push(format!("  body: {},", text(body)));
    }
    lines.push("});".to_owned());
    lines.push("console.log(response.status, await response.text());".to_owned());
    lines.join("\n")
}

/// A body as a literal, which keeps its lines.
fn text(text: &str) -> String {
    if !text.contains('\n') {
        return literal(text, '\'');
    }
    let mut lines = String::from('`');
    for character in text.chars() {
        match character {
            '\n' => lines.push('\n'),
            '`' => lines.push_str("\\`"),
            // Before a brace it would insert a value.
            '$' => lines.push_str("\\$"),
            other => push_escaped(&mut lines, other),
        }
    }
    lines.push('`');
    lines
}
