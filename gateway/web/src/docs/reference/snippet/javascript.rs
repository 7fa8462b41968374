//! A call as a program in JavaScript, with `fetch`, as an ES module.

use super::{ApiCall, literal, push_escaped};

/// A program that makes the call and prints the status and the answer.
pub(crate) fn snippet(call: &ApiCall) -> String {
    let mut lines = vec![format!("const response = await fetch({}, {{", literal(&call.url, '\''))];
    if call.method != "GET" {
        lines.push(format!("  method: {},", literal(&call.method, '\'')));
    }
    let key = format!("`Bearer ${{process.env.{}}}`", call.variable);
    match &call.body {
        None => lines.push(format!("  headers: {{ Authorization: {key} }},")),
        Some(body) => lines.push(format!(
            "  headers: {{\n    Authorization: {key},\n    'Content-Type': 'application/json',\n  }},\n  body: {},",
            text(body)
        )),
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
