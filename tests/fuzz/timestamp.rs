//! Times in queries and bodies.
#![no_main]

use kit::timestamp::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(time) = parse(text) {
        assert!((0..=9_999).contains(&time.year()));
    }
});
