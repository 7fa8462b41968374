//! A call of the API as a program in three languages. All of them send the same request, with the key from the environment.

pub(super) mod curl;
pub(super) mod javascript;
pub(super) mod python;

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters to encode in a segment of a path or in a query: all but the unreserved ones (RFC 3986).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A call of the API. No text has the character NUL, which no shell passes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ApiCall {
    pub(super) method: String,
    /// With path and query, encoded.
    pub(super) url: String,
    /// The environment variable with the key.
    pub(super) variable: &'static str,
    /// JSON, as it is typed.
    pub(super) body: Option<String>,
}

/// Path and query of a call, encoded. `path` has parameters such as `{slug}`.
pub(super) fn target(path: &str, in_path: &[(&str, &str)], query: &[(&str, &str)]) -> String {
    let segments = path.split('/').map(|segment| {
        let name = segment.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        let value = in_path.iter().find(|(known, _)| Some(*known) == name);
        value.map_or_else(|| segment.to_owned(), |(_, value)| encoded(value))
    });
    let mut target = segments.collect::<Vec<_>>().join("/");
    for (index, (name, value)) in query.iter().enumerate() {
        target.push(if index == 0 { '?' } else { '&' });
        target.extend([encoded(name), "=".to_owned(), encoded(value)]);
    }
    target
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// A text as a literal of Python and JavaScript, between these quotes.
fn literal(text: &str, quote: char) -> String {
    let mut literal = String::from(quote);
    for character in text.chars() {
        if character == quote {
            literal.extend(['\\', quote]);
        } else if character == '\n' {
            literal.push_str("\\n");
        } else {
            push_escaped(&mut literal, character);
        }
    }
    literal.push(quote);
    literal
}

/// Appends a character of a literal that is neither a quote nor the end of a line.
fn push_escaped(literal: &mut String, character: char) {
    if character == '\\' {
        literal.push_str("\\\\");
    } else if character.is_ascii_control() {
        // Writing to a string does not fail.
        write!(literal, "\\x{:02x}", u32::from(character)).ok();
    } else {
        literal.push(character);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpListener;
    use std::process::Command;

    use super::*;

    const KEY: &str = "svc_test_key";
    /// Texts that could end a literal, start a command or be taken for a file name.
    const HOSTILE: [&str; 8] = [
        "it's \"quoted\" `id` $(id) ${1+1} $HOME \\n \\",
        "{\"title\": \"\u{e9}\u{4e2d}\u{1f600} \u{2028}\"}",
        "{\n  \"tagline\": \"a\",\r\n  \"b\": \"\"\"\"\n}\n",
        "@/etc/passwd",
        "\"",
        "'''\"\"\"\"",
        "`${process.exit(1)}`\\",
        "\t\u{1}\u{7f} end",
    ];

    /// A received request, without the headers that clients add on their own.
    #[derive(Debug, PartialEq, Eq)]
    struct Arrived {
        line: String,
        headers: Vec<String>,
        body: String,
    }

    fn arrived(stream: std::net::TcpStream) -> Arrived {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let (mut headers, mut length) = (Vec::new(), 0);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let Some((name, value)) = header.trim_end().split_once(": ") else {
                break;
            };
            let name = name.to_ascii_lowercase();
            if name == "content-length" {
                length = value.parse().unwrap();
            }
            if ["authorization", "content-type"].contains(&&*name) {
                headers.push(format!("{name}: {value}"));
            }
        }
        headers.sort();
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
        reader.into_inner().write_all(answer.as_bytes()).unwrap();
        Arrived {
            line: line.trim_end().to_owned(),
            headers,
            body: String::from_utf8(body).unwrap(),
        }
    }

    /// Runs a snippet; returns the request that arrives and the output.
    fn run(server: &TcpListener, command: [&str; 2], snippet: &str) -> (Arrived, String) {
        std::thread::scope(|scope| {
            let got = scope.spawn(|| arrived(server.accept().unwrap().0));
            let [program, option] = command;
            let mut child = Command::new(program);
            if program == "node" {
                child.arg("--input-type=module");
            }
            let output =
                child.args([option, snippet]).env("SERVICE_WRITE_KEY", KEY).output().unwrap();
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{snippet}: {complaint}");
            (got.join().unwrap(), printed)
        })
    }

    /// Asserts that all three snippets send this request and print the response.
    fn assert_same(server: &TcpListener, call: &ApiCall, expected: &Arrived) {
        for (command, snippet) in [
            (["sh", "-c"], curl::snippet(call)),
            (["python3", "-c"], python::snippet(call)),
            (["node", "-e"], javascript::snippet(call)),
        ] {
            assert!(!snippet.contains(KEY), "{snippet}");
            let (got, printed) = run(server, command, &snippet);
            assert_eq!(got, *expected, "{snippet}");
            assert!(printed.contains("404"), "{snippet} prints {printed}");
            assert!(printed.trim_end().ends_with("{}"), "{snippet} prints {printed}");
        }
    }

    /// A call with these texts, and the request that must arrive.
    fn call(host: &str, method: &str, [slug, query, body]: [&str; 3]) -> (ApiCall, Arrived) {
        let target = target("/v1/games/{slug}", &[("slug", slug)], &[("q", query), ("a b", "")]);
        let body = (method != "DELETE").then(|| body.to_owned());
        let mut headers = vec![format!("authorization: Bearer {KEY}")];
        headers.extend(body.as_ref().map(|_| "content-type: application/json".to_owned()));
        let expected = Arrived {
            line: format!("{method} {target} HTTP/1.1"),
            headers,
            body: body.clone().unwrap_or_default(),
        };
        let call = ApiCall {
            method: method.to_owned(),
            url: format!("{host}{target}"),
            variable: "SERVICE_WRITE_KEY",
            body,
        };
        (call, expected)
    }

    fn server() -> (TcpListener, String) {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = format!("http://{}", server.local_addr().unwrap());
        (server, host)
    }

    #[test]
    fn curl_python_and_node_send_the_same_request() {
        let (server, host) = server();
        for (place, hostile) in HOSTILE.into_iter().enumerate() {
            let method = ["POST", "PATCH", "DELETE"][place % 3];
            let (call, expected) = call(&host, method, [hostile, hostile, hostile]);
            assert_same(&server, &call, &expected);
        }
        let call = ApiCall {
            method: "GET".to_owned(),
            url: format!("{host}/v1/games?limit=3"),
            variable: "SERVICE_WRITE_KEY",
            body: None,
        };
        let expected = Arrived {
            line: "GET /v1/games?limit=3 HTTP/1.1".to_owned(),
            headers: vec![format!("authorization: Bearer {KEY}")],
            body: String::new(),
        };
        assert_same(&server, &call, &expected);
    }

    #[test]
    fn a_target_has_its_encoded_parameters() {
        for (path, in_path, query, expected) in [
            ("/games", vec![], vec![], "/games"),
            (
                "/rankings/{kind}/{board}",
                vec![("board", "all"), ("kind", "a/../b")],
                vec![("q", "é &=#?+"), ("limit", "3")],
                "/rankings/a%2F..%2Fb/all?q=%C3%A9%20%26%3D%23%3F%2B&limit=3",
            ),
            ("/games/{slug}", vec![], vec![], "/games/{slug}"),
        ] {
            assert_eq!(target(path, &in_path, &query), expected);
        }
    }
}
