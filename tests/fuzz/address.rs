//! Addresses of other sites in links.
#![no_main]

use libfuzzer_sys::fuzz_target;
use listings::domain::address::read;

fuzz_target!(|text: &str| {
    if let Ok(address) = read(text) {
        assert!(read(&address).as_deref() == Ok(address.as_str()));
    }
});
