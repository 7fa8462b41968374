//! Keys of the API and tokens of the account API.
#![no_main]

use gateway::domain::secret::KeyFormat;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    KeyFormat::new("svc_").parse(text);
});
