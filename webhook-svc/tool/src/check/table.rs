//! The test messages: for each of the rules of §6.5 to §6.10 its messages, and the status that each must get. Most are pings, whose work does
//! no harm.

use super::tampering::Tampering;

/// Writes a body with this id and this `created_at`.
type WriteBody = fn(id: &str, created_at: &str) -> Vec<u8>;

/// A test message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Probe {
    /// What is special about the message.
    pub(super) name: &'static str,
    pub(super) event: &'static str,
    pub(super) body: WriteBody,
    pub(super) time: SignedTime,
    /// What happens to the message after it is signed.
    pub(super) tampering: Tampering,
    pub(super) expected_status: u16,
}

/// The timestamp that is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignedTime {
    /// Seconds from now.
    FromNow(i64),
    /// Now, in milliseconds.
    Milliseconds,
    Text(&'static str),
}

impl SignedTime {
    /// The timestamp of a message that is signed at `now`, in Unix seconds.
    pub(super) fn timestamp(self, now: i64) -> String {
        match self {
            Self::FromNow(seconds) => now.saturating_add(seconds).to_string(),
            Self::Milliseconds => now.saturating_mul(1_000).to_string(),
            Self::Text(text) => text.to_owned(),
        }
    }
}

/// A message with a good signature, which every receiver accepts.
const PING: Probe = Probe {
    name: "a ping",
    event: "ping",
    body: ping,
    time: SignedTime::FromNow(0),
    tampering: Tampering::None,
    expected_status: 200,
};

/// Rule 1: bodies that a JSON parser and serializer would write in another way.
pub(super) const RAW_BODIES: &[Probe] = &[
    with_body("a body with spaces and line breaks", |id, time| {
        format!(
            "{{ \"id\" : \"{id}\",\n\t\"event\": \"ping\" , \"created_at\": \"{time}\", \"data\":{{ \"message\": \"a check\" }} }}\r\n"
        )
        .into_bytes()
    }),
    with_body("a body with its keys in another order", |id, time| {
        format!(r#"{{"data":{{"z":1,"a":2}},"created_at":"{time}","event":"ping","id":"{id}"}}"#)
            .into_bytes()
    }),
    with_body("a body with escapes", |id, time| {
        format!(
            r#"{{"id":"{id}","event":"\u0070ing","created_at":"{time}","data":{{"message":"\u00e9\/\u2713"}}}}"#
        )
        .into_bytes()
    }),
    with_body("a body that is not ASCII", |id, time| {
        format!(
            r#"{{"id":"{id}","event":"ping","created_at":"{time}","data":{{"message":"Habari, dünya ✓ 𝄞"}}}}"#
        )
        .into_bytes()
    }),
    with_body("a body with numbers in odd forms", |id, time| {
        format!(
            r#"{{"id":"{id}","event":"ping","created_at":"{time}","data":{{"n":[1.0,1e2,-0,12345678901234567890]}}}}"#
        )
        .into_bytes()
    }),
];

/// Rule 2: messages with a wrong time or signature, and two with a time that is just right.
pub(super) const SIGNATURES: &[Probe] = &[
    rejected("a message without a timestamp", Tampering::NoTimestamp),
    signed_at("a message signed 310 seconds ago", SignedTime::FromNow(-310), 401),
    signed_at("a message signed 310 seconds ahead", SignedTime::FromNow(310), 401),
    signed_at("a message with a signed timestamp that is no number", SignedTime::Text("soon"), 401),
    signed_at("a message with an empty timestamp, signed", SignedTime::Text(""), 401),
    signed_at(
        "a message with a signed timestamp of 40 digits",
        SignedTime::Text("9999999999999999999999999999999999999999"),
        401,
    ),
    signed_at("a message with the signed timestamp NaN", SignedTime::Text("NaN"), 401),
    signed_at("a message with a signed timestamp in milliseconds", SignedTime::Milliseconds, 401),
    old_with(
        "a message signed 310 seconds ago, with a second timestamp of now",
        Tampering::TimestampAfter,
    ),
    old_with(
        "a message signed 310 seconds ago, with a timestamp of now before its own",
        Tampering::TimestampBefore,
    ),
    rejected("a message with a timestamp that is not the signed one", Tampering::OtherTimestamp),
    rejected("a message without a signature", Tampering::NoSignature),
    rejected("a message with an empty signature", Tampering::EmptySignature),
    rejected("a message with half a signature", Tampering::HalfSignature),
    rejected("a message with more characters behind its signature", Tampering::LongSignature),
    rejected(
        "a message with the last character of its signature changed",
        Tampering::LastCharacter,
    ),
    rejected("a message with a signature that is not hexadecimal", Tampering::NotHexadecimal),
    rejected("a message signed with another secret", Tampering::OtherSecret),
    rejected("a message signed with an empty secret", Tampering::EmptySecret),
    rejected("a message changed after it was signed", Tampering::ChangedBody),
    rejected("a message whose body was removed after it was signed", Tampering::NoBody),
    signed_at("a message signed 240 seconds ago", SignedTime::FromNow(-240), 200),
    signed_at("a message signed 240 seconds ahead", SignedTime::FromNow(240), 200),
];

/// Rule 3: signed bodies that are not JSON.
pub(super) const NOT_JSON: &[Probe] = &[
    not_json("a text that is not JSON", |_, _| b"not JSON".to_vec()),
    not_json("half a JSON object", |_, _| b"{\"id\":\"1\",".to_vec()),
    not_json("an empty body", |_, _| Vec::new()),
    not_json("two JSON objects", |_, _| b"{} {}".to_vec()),
    not_json("JSON with single quotes", |_, _| b"{'id':'1'}".to_vec()),
    not_json("a body that is not UTF-8", |id, time| {
        let mut body =
            format!(r#"{{"id":"{id}","event":"ping","created_at":"{time}","data":{{"message":""#)
                .into_bytes();
        body.extend_from_slice(b"\xff\"}}");
        body
    }),
    not_json("JSON with NaN", |id, time| {
        format!(r#"{{"id":"{id}","event":"ping","created_at":"{time}","data":{{"n":NaN}}}}"#)
            .into_bytes()
    }),
];

/// Signed bodies that are JSON, and no messages of the service. A receiver may answer 200 or 400; it must not break off.
pub(super) const ODD_BODIES: &[Probe] = &[
    with_body("a list instead of a message", |_, _| b"[]".to_vec()),
    with_body("null instead of a message", |_, _| b"null".to_vec()),
    with_body("a text instead of a message", |_, _| b"\"ping\"".to_vec()),
    with_body("a ping without an id", |_, _| b"{\"event\":\"ping\"}".to_vec()),
    with_body("a ping whose id is an object", |_, _| b"{\"event\":\"ping\",\"id\":{}}".to_vec()),
    with_body("a ping whose id is half of a surrogate pair", |_, _| {
        br#"{"event":"ping","id":"\ud800"}"#.to_vec()
    }),
    with_body("a message whose event is a list", |id, _| {
        format!(r#"{{"event":["ping"],"id":"{id}"}}"#).into_bytes()
    }),
];

/// Rule 6: an event that no receiver knows.
pub(super) const UNKNOWN_EVENT: &str = "check.unknown";

fn ping(id: &str, time: &str) -> Vec<u8> {
    format!(
        r#"{{"id":"{id}","event":"ping","created_at":"{time}","data":{{"message":"A check of your receiver."}}}}"#
    )
    .into_bytes()
}

const fn with_body(name: &'static str, body: WriteBody) -> Probe {
    Probe { name, body, ..PING }
}

const fn not_json(name: &'static str, body: WriteBody) -> Probe {
    Probe { name, body, expected_status: 400, ..PING }
}

const fn rejected(name: &'static str, tampering: Tampering) -> Probe {
    Probe { name, tampering, expected_status: 401, ..PING }
}

const fn signed_at(name: &'static str, time: SignedTime, expected_status: u16) -> Probe {
    Probe { name, time, expected_status, ..PING }
}

/// Signed too long ago.
const fn old_with(name: &'static str, tampering: Tampering) -> Probe {
    Probe { time: SignedTime::FromNow(-310), ..rejected(name, tampering) }
}
