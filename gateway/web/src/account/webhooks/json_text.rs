//! JSON as people read it: a line for each member, in the order in which it was sent.

/// The most levels that are indented.
const MAX_DEPTH: usize = 20;

/// Indents a JSON text. Input that is not JSON is returned with line breaks added.
pub(super) fn indented(text: &str) -> String {
    let (mut out, mut depth) = (String::with_capacity(text.len() * 2), 0_usize);
    let mut characters = text.trim().chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                out.push('"');
                // A string is copied as it is, with its escapes.
                while let Some(inner) = characters.next() {
                    out.push(inner);
                    if inner == '\\' {
                        out.extend(characters.next());
                    } else if inner == '"' {
                        break;
                    }
                }
            }
            '{' | '[' => {
                out.push(character);
                while characters.next_if(|next| next.is_whitespace()).is_some() {}
                let closing = characters.next_if(|next| matches!(next, '}' | ']'));
                if let Some(closing) = closing {
                    out.push(closing);
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(',');
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ if character.is_whitespace() => {}
            _ => out.push(character),
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth.min(MAX_DEPTH) {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order() {
        let text = r#"{"id":"a\"b, {c}:","n":[1, 2],"empty":{ },"data":{"z":true}}"#;
        let expected = "{\n  \"id\": \"a\\\"b, {c}:\",\n  \"n\": [\n    1,\n    2\n  ],\n  \"empty\": {},\n  \"data\": {\n    \"z\": true\n  }\n}";
        assert_eq!(indented(text), expected);
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(parse(&indented(text)), parse(text));
    }

    #[test]
    fn any_text_is_indented_without_panic() {
        for text in ["", "\"", "\"\\", "}}}]", "{", "not JSON"] {
            indented(text);
        }
        assert!(indented(&"[".repeat(1_000)).len() < 50_000);
    }
}
