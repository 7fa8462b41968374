//! Request smuggling: requests whose end two parsers could see at different places. Each request gets exactly one response.

use e2e::Fleet;
use e2e::raw::exchange;

/// A request inside a body. A server that took it for a request would respond with 405.
const HIDDEN: &str = "DELETE /v1/me HTTP/1.1\r\nhost: a\r\nKEY\r\n\r\n";
/// The request after each case. It gets a 404 if the connection is still usable.
const LAST: &str = "GET /v1/last HTTP/1.1\r\nhost: a\r\nKEY\r\nconnection: close\r\n\r\n";

/// A description, header lines, a body, and the expected statuses. The last status of several may be missing: the server may always close the
/// connection instead of reading the next request.
type Case = (&'static str, &'static str, &'static str, &'static [u16]);

/// Bodies with unusual lengths.
#[rustfmt::skip]
const LENGTHS: &[Case] = &[
    ("no body", "", "", &[200, 404]),
    ("a body that is a request", "content-length: LENGTH", "HIDDEN", &[200, 404]),
    ("both lengths", "content-length: 5\r\ntransfer-encoding: chunked", "0\r\n\r\nHIDDEN", &[200]),
    ("both, the other way round", "transfer-encoding: chunked\r\ncontent-length: 5", "0\r\n\r\nHIDDEN", &[200]),
    ("two lengths", "content-length: 5\r\ncontent-length: 0", "hello", &[400]),
    ("one length twice", "content-length: 5\r\ncontent-length: 5", "hello", &[200, 404]),
    ("a list of lengths", "content-length: 5, 5", "hello", &[400]),
    ("a negative length", "content-length: -1", "", &[400]),
    ("a signed length", "content-length: +5", "hello", &[400]),
    ("a hexadecimal length", "content-length: 0x5", "hello", &[400]),
    ("a broken length", "content-length: 5.0", "hello", &[400]),
    ("two numbers", "content-length: 5 5", "hello", &[400]),
    ("no number", "content-length:", "HIDDEN", &[400]),
    ("a length beyond 64 bits", "content-length: 18446744073709551621", "hello", &[400]),
    ("a huge length", "content-length: 9223372036854775807", "HIDDEN", &[413]),
    ("a length in other digits", "content-length: ٥", "hello", &[400]),
    ("a length too long", "content-length: 65537", "HIDDEN", &[413]),
    ("a length that never comes", "content-length: 65536", "HIDDEN", &[200]),
];

/// Bodies in chunks.
#[rustfmt::skip]
const CHUNKS: &[Case] = &[
    ("chunked", "transfer-encoding: chunked", "5\r\nhello\r\n0\r\n\r\n", &[200, 404]),
    ("chunked in capitals", "TRANSFER-ENCODING: CHUNKED", "0\r\n\r\n", &[200, 404]),
    ("a hidden request in a chunk", "transfer-encoding: chunked", "HEX\r\nHIDDEN\r\n0\r\n\r\n", &[200, 404]),
    ("a coding after chunked", "transfer-encoding: chunked, identity", "0\r\n\r\nHIDDEN", &[400]),
    ("identity", "transfer-encoding: identity", "HIDDEN", &[400]),
    ("a misspelt coding", "transfer-encoding: xchunked", "0\r\n\r\nHIDDEN", &[400]),
    ("a quoted coding", "transfer-encoding: \"chunked\"", "0\r\n\r\nHIDDEN", &[400]),
    ("a coding with a parameter", "transfer-encoding: chunked;q=1", "0\r\n\r\nHIDDEN", &[400]),
    ("a coding after a vertical tab", "transfer-encoding: \u{b}chunked", "0\r\n\r\nHIDDEN", &[400]),
    ("an empty coding", "transfer-encoding:", "HIDDEN", &[400]),
    ("a coding twice, chunked first", "transfer-encoding: chunked\r\ntransfer-encoding: identity", "0\r\n\r\nHIDDEN", &[400]),
    ("a coding on the next line", "transfer-encoding:\r\n chunked", "0\r\n\r\nHIDDEN", &[400]),
    ("a space before the colon", "transfer-encoding : chunked", "0\r\n\r\nHIDDEN", &[400]),
    ("a chunk size beyond 64 bits", "transfer-encoding: chunked", "ffffffffffffffff5\r\nhello\r\n0\r\n\r\nHIDDEN", &[200]),
    ("a chunk size that is none", "transfer-encoding: chunked", "zz\r\nhello\r\n0\r\n\r\nHIDDEN", &[200]),
    ("a signed chunk size", "transfer-encoding: chunked", "+0\r\n\r\nHIDDEN", &[200]),
    ("a chunk size with 0x", "transfer-encoding: chunked", "0x0\r\n\r\nHIDDEN", &[200]),
    ("bare line feeds in chunks", "transfer-encoding: chunked", "0\n\nHIDDEN", &[200]),
    ("a chunk longer than it says", "transfer-encoding: chunked", "2\r\nhello\r\n0\r\n\r\nHIDDEN", &[200]),
    ("a trailer that tells a length", "transfer-encoding: chunked", "0\r\ncontent-length: 9\r\n\r\n", &[200, 404]),
    ("no last chunk", "transfer-encoding: chunked", "5\r\nhello\r\n", &[200]),
];

/// Malformed heads.
#[rustfmt::skip]
const HEADS: &[Case] = &[
    ("a folded line", "x: a\r\n b", "", &[400]),
    ("a folded first line", " x: a", "", &[400]),
    ("a space before a colon", "x : a", "", &[400]),
    ("a space in a name", "a b: c", "", &[400]),
    ("no colon", "x", "", &[400]),
    ("no name", ": x", "", &[400]),
    ("a bare carriage return", "x: a\rb", "", &[400]),
    ("a zero byte in a value", "x: a\0b", "", &[400]),
    ("a zero byte in a name", "x\0: a", "", &[400]),
    ("a control character", "x: a\u{1}b", "", &[400]),
    ("a value that is not ASCII", "x: é", "", &[200, 404]),
    ("a name that is not ASCII", "é: x", "", &[400]),
    ("a second host", "host: b", "", &[400]),
    ("the same host again", "host: a", "", &[400]),
    ("an upgrade to h2c", "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__", "", &[200, 404]),
    ("an upgrade to a socket", "connection: upgrade\r\nupgrade: websocket", "", &[200, 404]),
    ("an expectation, and no body", "expect: 100-continue", "", &[200, 404]),
    ("an expectation, and a body that waits", "expect: 100-continue\r\ncontent-length: 5", "", &[200]),
    ("an expectation of something else", "expect: the-best\r\ncontent-length: 5", "hello", &[200]),
    ("connection: close", "connection: close", "HIDDEN", &[200]),
];

#[tokio::test]
async fn no_request_hides_in_another() {
    let fleet = Fleet::shared();
    let key = format!("authorization: Bearer {}", fleet.account("unlimited").keys.live);
    let (hidden, last) = (HIDDEN.replace("KEY", &key), LAST.replace("KEY", &key));
    for (what, lines, body, expected) in [LENGTHS, CHUNKS, HEADS].concat() {
        let lines = lines.replace("LENGTH", &hidden.len().to_string());
        let body = body.replace("HIDDEN", &hidden).replace("HEX", &format!("{:x}", hidden.len()));
        let end = if lines.is_empty() { "\r\n" } else { "\r\n\r\n" };
        let head = format!("GET /v1/me HTTP/1.1\r\nhost: a\r\n{key}\r\n{lines}{end}");
        let answers = exchange(&fleet, format!("{head}{body}{last}").as_bytes()).await;
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert!(
            !statuses.is_empty() && expected.starts_with(&statuses),
            "{what}: {statuses:?} for {expected:?}: {answers:?}"
        );
    }
}

/// The start of a head, and the status of its only response.
#[rustfmt::skip]
const LINES: &[(&str, u16)] = &[
    ("GET /v1/me HTTP/1.1\r\nhost: a", 200),
    ("\r\n\r\nGET /v1/me HTTP/1.1\r\nhost: a", 200),
    ("GET /v1/me HTTP/1.1\r\nhost:", 200),
    ("GET /v1/me HTTP/1.1\r\nhost: [::1]:8080", 200),
    ("GET /v1/me HTTP/1.1\nhost: a", 200),
    ("GET /v1/me HTTP/1.0", 200),
    ("GET /v1/me HTTP/1.0\r\nhost: a", 200),
    ("GET /v1/me HTTP/1.0\r\nhost: a\r\nhost: a", 400),
    ("GET /v1/me HTTP/1.0\r\ntransfer-encoding: chunked", 400),
    ("GET /v1/me HTTP/1.1", 400),
    ("GET /v1/me HTTP/1.1\r\nhost: a/b", 400),
    ("GET /v1/me HTTP/1.1\r\nhost: user@a", 400),
    ("GET /v1/me HTTP/1.1\r\nhost: a b", 400),
    ("GET /v1/me HTTP/9.9\r\nhost: a", 400),
    ("GET /v1/me HTTP/1.2\r\nhost: a", 400),
    ("GET /v1/me HTTP/2.0\r\nhost: a", 400),
    ("GET /v1/me http/1.1\r\nhost: a", 400),
    ("GET /v1/me HTTP/1.1 \r\nhost: a", 400),
    ("GET /v1/me", 400),
    ("GET  /v1/me HTTP/1.1\r\nhost: a", 400),
    ("GET\t/v1/me\tHTTP/1.1\r\nhost: a", 400),
    (" GET /v1/me HTTP/1.1\r\nhost: a", 400),
    ("GET /v1/m e HTTP/1.1\r\nhost: a", 400),
    ("GET /v1/m\0e HTTP/1.1\r\nhost: a", 400),
    ("GE\0T /v1/me HTTP/1.1\r\nhost: a", 400),
    ("/v1/me HTTP/1.1\r\nhost: a", 400),
    ("PRI * HTTP/2.0\r\n\r\nSX", 400),
    ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}", 400),
    ("{\"jsonrpc\":\"2.0\"}", 400),
];

#[tokio::test]
async fn every_head_gets_exactly_one_response() {
    let fleet = Fleet::shared();
    let key = format!("authorization: Bearer {}", fleet.account("unlimited").keys.live);
    for (line, status) in LINES {
        let request = format!("{line}\r\n{key}\r\nconnection: close\r\n\r\n");
        let answers = exchange(&fleet, request.as_bytes()).await;
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [*status], "{line:?}: {answers:?}");
    }
}

#[tokio::test]
async fn a_request_without_one_valid_host_gets_an_error_in_the_envelope() {
    let fleet = Fleet::shared();
    for lines in ["", "host: a\r\nhost: b\r\n", "host: a/b\r\n"] {
        let request = format!("GET /v1/games HTTP/1.1\r\n{lines}\r\n");
        let answers = exchange(&fleet, request.as_bytes()).await;
        let [answer] = answers.as_slice() else {
            unreachable!("not one answer: {answers:?}");
        };
        assert_eq!(answer.code(), "invalid", "{}", answer.body);
        assert!(answer.body.contains(r#""fields":{"host":"#), "{}", answer.body);
        assert!(answer.head.contains("connection: close"), "{}", answer.head);
    }
}
