//! Rows of files that staff import.
#![no_main]

use libfuzzer_sys::fuzz_target;
use listings::domain::entity::Entity;
use listings::write::import::refused_row;

const KINDS: [Entity; 6] = [
    Entity::Genre,
    Entity::Country,
    Entity::City,
    Entity::Page,
    Entity::Game,
    Entity::Event,
];

fuzz_target!(|line: &str| {
    for kind in KINDS {
        if let Some(row) = refused_row(kind, line) {
            assert!(!row.fields.is_empty());
        }
    }
});
