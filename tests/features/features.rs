//! An empty program. The crate exists only for its dependencies.

fn main() {}
