//! A call as a command for a POSIX shell.

use super::ApiCall;
use crate::domain::shell_word::quoted;

/// A command that makes the call and prints the answer with its headers.
pub(crate) fn snippet(call: &ApiCall) -> String {
    let mut parts = vec![format!("curl -i -H \"Authorization: Bearer ${}\"", call.variable)];
    if call.method != "GET" {
        parts.push(format!("-X {}", call.method));
    }
    if let Some(body) = &call.body {
        parts.push("-H 'Content-Type: application/json'".to_owned());
        // Unlike `-d`, it reads no file for a body that begins with @.
        parts.push(format!("--data-raw {}", quoted(body)));
    }
    parts.push(quoted(&call.url));
    parts.join(" \\\n  ")
}
