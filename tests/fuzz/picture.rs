//! Files that people upload as pictures.
#![no_main]

use libfuzzer_sys::fuzz_target;
use listings::domain::pictures::PictureKind;
use listings::pictures::process;

fuzz_target!(|file: &[u8]| {
    let _pictures = process(file, PictureKind::Avatar);
});
