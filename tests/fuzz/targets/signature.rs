#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|message: (&[u8], &[u8], &[u8])| {
    let (timestamp, signature, body) = message;
    fuzz::signature(timestamp, signature, body);
});
