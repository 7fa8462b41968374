//! Numbers of the economy as the public interface writes them.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer, ser};
use serde_json::value::RawValue;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// A number that is written with up to 15 significant digits (§2.8): a float holds any decimal number of so many.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Number(pub f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = format!("{:.14e}", self.0);
        // `Display` of a float writes the fewest digits that are read as the same float: no more than these 15.
        let rounded: f64 = rounded.parse().unwrap_or(self.0);
        // A sum with 0 is never -0.
        write!(f, "{}", rounded + 0.0)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.to_string()).map_err(ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl PartialSchema for Number {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Number);
        let words = "A decimal number of up to 15 significant digits.";
        number.description(Some(words)).into()
    }
}

impl ToSchema for Number {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_with_15_digits() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (5.0, "5"),
            (-12.5, "-12.5"),
            (1.0 / 3.0, "0.333333333333333"),
            (200.0 / 3.0, "66.6666666666667"),
            (0.1 + 0.2, "0.3"),
            (1e-8, "0.00000001"),
            (999_999_999_999_999.9, "1000000000000000"),
            (1.234_567_890_123_456e20, "123456789012346000000"),
        ] {
            assert_eq!(serde_json::to_string(&Number(number)).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_written_is_read_as_the_same_number() {
        for text in ["12.5", "-0.000001", "0.333333333333333", "123456789012345"] {
            let read: Number = serde_json::from_str(text).unwrap();
            assert_eq!(read.to_string(), text);
        }
    }
}
