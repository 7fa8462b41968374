//! A call as a program in Python, with its standard library.

use super::{ApiCall, literal, push_escaped};

/// A program that makes the call and prints the status and the answer.
pub(crate) fn snippet(call: &ApiCall) -> String {
    let mut lines = vec![
        "import os".to_owned(),
        "import urllib.error".to_owned(),
        "import urllib.request".to_owned(),
        String::new(),
        "request = urllib.request.Request(".to_owned(),
        format!("    {},", literal(&call.url, '"')),
    ];
    if call.method != "GET" {
        lines.push(format!("    method={},", literal(&call.method, '"')));
    }
    let key = format!("\"Bearer \" + os.environ[\"{}\"]", call.variable);
    match &call.body {
        None => lines.push(format!("    headers={{\"Authorization\": {key}}},")),
        Some(body) => lines.push(format!(
            "    headers={{\n        \"Authorization\": {key},\n        \"Content-Type\": \"application/json\",\n    }},\n    data={}.encode(),",
            text(body)
        )),
    }
    lines.extend(
        [
            ")",
            "try:",
            "    with urllib.request.urlopen(request) as response:",
            "        print(response.status, response.read().decode())",
            "except urllib.error.HTTPError as error:",
            "    print(error.code, error.read().decode())",
        ]
        .map(ToOwned::to_owned),
    );
    lines.join("\n")
}

/// A body as a literal, which keeps its lines.
fn text(text: &str) -> String {
    if !text.contains('\n') {
        return literal(text, '\'');
    }
    let mut lines = String::from("\"\"\"");
    let mut characters = text.chars().peekable();
    let mut is_after_quote = false;
    while let Some(character) = characters.next() {
        match character {
            '\n' => lines.push('\n'),
            // Three in a row would end the literal, and so would one before its end.
            '"' if is_after_quote || characters.peek().is_none() => lines.push_str("\\\""),
            '"' => lines.push('"'),
            other => push_escaped(&mut lines, other),
        }
        is_after_quote = character == '"';
    }
    lines.push_str("\"\"\"");
    lines
}
