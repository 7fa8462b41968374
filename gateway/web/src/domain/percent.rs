//! Values in the query of an address.

use percent_encoding::{NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

/// A value, percent-encoded.
pub fn encoded(value: &str) -> PercentEncode<'_> {
    utf8_percent_encode(value, NON_ALPHANUMERIC)
}
