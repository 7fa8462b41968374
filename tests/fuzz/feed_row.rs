//! Entities of the listings feed.
#![no_main]

use catalogue::index::entity::Entity;
use libfuzzer_sys::fuzz_target;

const ID: &str = "018f2f3e-0000-7000-8000-000000000001";

fuzz_target!(|encoded: &[u8]| {
    for kind in ["genre", "country", "city", "page", "game", "event"] {
        if let Ok(Some(entity)) = Entity::read(kind, ID, 7, encoded) {
            assert!(entity.key() == (kind, ID.to_owned()));
        }
    }
});
