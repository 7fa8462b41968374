//! Colours of code blocks: comments, strings, keywords and numbers become spans when a guide is read, and no request computes them.

use askama::filters::{Escaper as _, Html};

// Keywords, separated by spaces.
const SHELL: &str = "case do done elif else esac export fi for if in local return then until while";
const PYTHON: &str = "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield";
const SCRIPT: &str = "as async await break case catch class const continue default delete else export extends false finally for from function if import in instanceof interface let new null of return switch this throw true try type typeof undefined var void while yield";
const GO: &str = "break case chan const continue default defer else false for func go if import interface map nil package range return select struct switch true type var";

/// How a language writes its tokens.
struct Syntax {
    /// The start of a comment, which goes to the end of its line. Empty if the language has none.
    comment: &'static str,
    /// The characters that begin and end a string.
    quotes: &'static str,
    /// The quotes whose strings may have several lines.
    multiline: &'static str,
    /// The quotes in whose strings a backslash is an ordinary character.
    raw: &'static str,
    keywords: &'static str,
}

impl Syntax {
    fn of(language: &str) -> Option<Self> {
        let (comment, quotes, multiline, raw, keywords) = match language {
            "sh" => ("#", "\"'", "\"'", "'", SHELL),
            "python" => ("#", "\"'", "", "", PYTHON),
            "js" | "ts" => ("//", "\"'`", "`", "", SCRIPT),
            "go" => ("//", "\"'`", "`", "`", GO),
            "json" => ("", "\"", "", "", "false null true"),
            _ => return None,
        };
        Some(Self { comment, quotes, multiline, raw, keywords })
    }

    /// The class and the length in bytes of the token at the start of `text`, after the character `before`. Other text has an empty class.
    fn token(&self, text: &str, before: char) -> (&'static str, usize) {
        let is_comment = !self.comment.is_empty() && text.starts_with(self.comment);
        if is_comment && before.is_whitespace() {
            return ("comment", text.find('\n').unwrap_or(text.len()));
        }
        if let Some(length) = self.string(text) {
            return ("string", length);
        }
        let is_number = text.starts_with(|c: char| c.is_ascii_digit());
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || (is_number && c == '.');
        let length = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
        let word = &text[..length];
        if word.is_empty() {
            // A quote after a backslash begins no string.
            let characters = if text.starts_with('\\') { 2 } else { 1 };
            let length = text.chars().take(characters).map(char::len_utf8).sum();
            return ("", length);
        }
        let is_keyword = self.keywords.split(' ').any(|keyword| keyword == word);
        if is_number {
            ("number", length)
        } else if is_keyword && !"$-./".contains(before) {
            ("keyword", length)
        } else {
            ("", length)
        }
    }

    /// The length of the string at the start of `text`. `None`: no string begins there, or it has no end.
    fn string(&self, text: &str) -> Option<usize> {
        let first = text.chars().next();
        let quote = first.filter(|first| self.quotes.contains(*first))?;
        let triple = quote.to_string().repeat(3);
        let inside = text.strip_prefix(triple.as_str());
        if let Some(end) = inside.and_then(|inside| inside.find(triple.as_str())) {
            return Some(end + 2 * triple.len());
        }
        let mut is_escaped = false;
        for (at, c) in text.char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = !self.raw.contains(quote),
                '\n' if !self.multiline.contains(quote) => return None,
                c if c == quote => return Some(at + quote.len_utf8()),
                _ => {}
            }
        }
        None
    }
}

/// The HTML of code. Code in a language that is not known has no spans.
pub(super) fn highlight(language: &str, code: &str) -> String {
    let mut html = String::with_capacity(2 * code.len());
    let Some(syntax) = Syntax::of(language) else {
        push_escaped(&mut html, code);
        return html;
    };
    let (mut rest, mut before) = (code, '\n');
    while !rest.is_empty() {
        let (class, length) = syntax.token(rest, before);
        let (token, after) = rest.split_at(length);
        if class.is_empty() {
            push_escaped(&mut html, token);
        } else {
            html.push_str("<span class=\"");
            html.push_str(class);
            html.push_str("\">");
            push_escaped(&mut html, token);
            html.push_str("</span>");
        }
        before = token.chars().next_back().unwrap_or(before);
        rest = after;
    }
    html
}

fn push_escaped(html: &mut String, text: &str) {
    // A string takes whatever is written.
    Html.write_escaped_str(html, text).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How askama escapes characters, the ampersand last.
    const ESCAPES: [(char, &str); 5] =
        [('<', "&#60;"), ('>', "&#62;"), ('"', "&#34;"), ('\'', "&#39;"), ('&', "&#38;")];

    const CLASSES: [&str; 4] = ["comment", "string", "keyword", "number"];
    const LANGUAGES: [&str; 7] = ["sh", "python", "js", "ts", "go", "json", "http"];

    /// Delimiters of tokens, keywords, escapes and other characters.
    const CODE: &str = "(\"|'|`|#|//|\\\\|\n| |for|12|<|>|&|&#38;|\\PC){0,40}";

    /// The text that a browser shows and the copy button copies.
    fn shown(html: &str) -> String {
        let mut text = html.replace("</span>", "");
        for class in CLASSES {
            text = text.replace(&format!("<span class=\"{class}\">"), "");
        }
        assert!(!text.contains(['<', '>', '"', '\'']), "{html}");
        for (plain, escaped) in ESCAPES {
            text = text.replace(escaped, &plain.to_string());
        }
        text
    }

    proptest! {
        #[test]
        fn highlighted_code_is_escaped_and_shows_the_same_text(code in CODE) {
            for language in LANGUAGES {
                prop_assert_eq!(&shown(&highlight(language, &code)), &code);
            }
        }
    }

    #[test]
    fn tokens_have_the_class_of_their_kind() {
        for (language, code, class, token) in [
            ("sh", "a # b\nc", "comment", "# b"),
            ("sh", "for it in a", "keyword", "for"),
            ("sh", "-d '{\n\"a\": 1}' x", "string", "{\n\"a\": 1}"),
            ("python", "x = \"\"\"a\n\"b\"\"\"", "string", "a\n\"b"),
            ("python", "x = 1.5", "number", "1.5"),
            ("js", "`a\n${b}`", "string", "a\n${b}"),
            ("ts", "const a", "keyword", "const"),
            ("go", "`\\`", "string", "\\"),
            ("go", "// a's", "comment", "// a's"),
            ("json", "{\"a\": null}", "keyword", "null"),
            ("json", "\"a\\\"b\"", "string", "a\\\"b"),
        ] {
            let html = highlight(language, code);
            let opening = format!("<span class=\"{class}\">");
            let mut spans = html.split(&opening).skip(1);
            let found = spans.next().and_then(|rest| rest.split("</span>").next());
            let text = shown(found.unwrap());
            assert!(text.contains(token), "{language}: {token} in {html}");
        }
    }

    #[test]
    fn other_text_has_no_class() {
        for (language, code) in [
            ("http", "GET /for 12"),
            ("sh", "$# a#b it's"),
            ("sh", "curl -for a/in \\'"),
            ("js", "a.for"),
        ] {
            let html = highlight(language, code);
            assert!(!html.contains("<span"), "{html}");
        }
    }
}
