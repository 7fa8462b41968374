//! Nothing: this crate is only its dependencies.

fn main() {}
