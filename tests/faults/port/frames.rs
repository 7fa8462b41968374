//! HTTP/2, frame by frame.

/// The preface of a connection, with an empty SETTINGS frame.
pub(crate) fn hello() -> Vec<u8> {
    hello_with(&[])
}

/// The preface of a connection with these settings, each a number and a value.
pub(crate) fn hello_with(settings: &[(u16, u32)]) -> Vec<u8> {
    let settings: Vec<u8> = settings
        .iter()
        .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
        .collect();
    [
        &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
        &frame(SETTINGS, 0, 0, &settings),
    ]
    .concat()
}

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const PRIORITY: u8 = 2;
pub(crate) const RESET: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PROMISE: u8 = 5;
pub(crate) const PING: u8 = 6;
pub(crate) const GO_AWAY: u8 = 7;
pub(crate) const WINDOW: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
pub(crate) const PADDED: u8 = 8;

/// A frame.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Header fields as literals. The first byte of each says whether the server adds the field to its dynamic table (0x40) or not (0).
pub(crate) fn fields(first: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| [length(text.len()), text.into()].concat();
    fields
        .iter()
        .flat_map(|(name, value)| [vec![first], text(name), text(value)].concat())
        .collect()
}

/// An integer with a prefix of seven bits (RFC 7541, 5.1).
fn length(length: usize) -> Vec<u8> {
    let Some(mut rest) = length.checked_sub(127) else {
        return vec![u8::try_from(length).unwrap()];
    };
    let mut bytes = vec![127];
    while rest >= 128 {
        bytes.push(u8::try_from(rest % 128).unwrap() | 128);
        rest /= 128;
    }
    bytes.push(u8::try_from(rest).unwrap());
    bytes
}

/// The header fields of a call with `key`.
pub(crate) fn call(method: &str, path: &str, key: &str) -> Vec<u8> {
    fields(
        0,
        &[
            (":method", method),
            (":scheme", "http"),
            (":authority", "a"),
            (":path", path),
            ("authorization", &format!("Bearer {key}")),
        ],
    )
}

/// Whether these bytes from a server contain a 500 (entry 14 of HPACK's static table).
pub(crate) fn answered_500(mut said: &[u8]) -> bool {
    while let Some((head, rest)) = said.split_first_chunk::<9>() {
        let [high, middle, low, kind, ..] = *head;
        let length = usize::try_from(u32::from_be_bytes([0, high, middle, low])).unwrap();
        if kind == HEADERS && rest.first() == Some(&0x8e) {
            return true;
        }
        said = rest.get(length..).unwrap_or_default();
    }
    false
}
