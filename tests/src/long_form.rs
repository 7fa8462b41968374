//! The sizes of long forms of tests.

use std::fmt::Debug;
use std::str::FromStr;

/// The number in an environment variable, for the long form of a test; `short` if the variable is not set.
#[expect(clippy::disallowed_methods, reason = "a test has no settings")]
pub fn long_form<T: FromStr<Err: Debug>>(variable: &str, short: T) -> T {
    std::env::var(variable).map_or(short, |number| number.parse().unwrap())
}
