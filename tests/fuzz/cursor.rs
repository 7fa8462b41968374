//! Cursors of lists.
#![no_main]

use kit::cursor::{Binding, SortTime};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|cursor: &str| {
    let binding = Binding::new("games", []);
    if let Some(key) = binding.decode::<(SortTime, String)>(cursor) {
        let again = binding.encode(&key).unwrap();
        assert!(binding.decode(&again) == Some(key));
    }
});
