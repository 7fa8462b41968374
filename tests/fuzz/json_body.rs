//! JSON bodies of requests.
#![no_main]

use kit::json_object::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let _fields = parse(body);
});
