//! Decimal numbers as the public interface writes them.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// A JSON number, digit for digit as it is written: it never passes through a float (§2.8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number(String);

impl Number {
    /// The number that `text` writes in JSON.
    pub fn from_text(text: String) -> Self {
        Self(text)
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.0.clone()).map_err(ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        let begins = |byte: u8| byte == b'-' || byte.is_ascii_digit();
        if text.bytes().next().is_some_and(begins) {
            return Ok(Self(text.to_owned()));
        }
        Err(de::Error::custom("this is not a number"))
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
