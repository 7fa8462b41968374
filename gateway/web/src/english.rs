//! The texts of the dashboard, which is in English.

use pages::{Language, Texts};

pub fn texts() -> &'static Texts {
    Texts::of(Language::English)
}

pub fn say(key: &'static str) -> &'static str {
    texts().say(key)
}

pub fn say_of(key: &str, value: &str) -> String {
    texts().say_of(key, value)
}

pub fn say_of_two(key: &str, from: &str, to: &str) -> String {
    texts().say_of_two(key, from, to)
}
