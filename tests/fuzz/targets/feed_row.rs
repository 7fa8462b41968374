#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|encoded: &[u8]| {
    fuzz::feed_row(encoded);
});
