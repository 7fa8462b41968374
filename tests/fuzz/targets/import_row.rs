#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    fuzz::import_row(line);
});
