//! The headers of a message, as a receiver of webhooks verifies them.
#![no_main]

use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::fuzz_target;
use receiver::signature::Secrets;

/// 1 March 2026.
const NOW: i64 = 1_772_323_200;

fuzz_target!(|message: (&[u8], &[u8], &[u8])| {
    let (time, signature, body) = message;
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("x-service-timestamp", time),
        ("x-service-signature", signature),
    ] {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.insert(name, value);
        }
    }
    let secrets = Secrets {
        current: "svc_whsec_AAAA".parse().unwrap(),
        others: Vec::new(),
    };
    assert!(secrets.verify(&headers, body, NOW).is_err());
});
