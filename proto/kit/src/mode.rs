//! The dataset of a call or a listing (§5.3).

use clap::ValueEnum;
use contracts::common::v1 as common;
use serde::{Deserialize, Serialize};
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgTypeInfo, PgValueRef};
use sqlx::{Decode, Postgres, Type};
use strum::{EnumString, IntoStaticStr};

use crate::api::bad_fields::BadFields;
use crate::api::fault::Fault;

/// A dataset.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// The real directory, for live keys.
    Live,
    /// Samples, for test keys, whose calls are free.
    Test,
}

impl Mode {
    /// The name of the dataset.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The value of a field of a message.
impl From<Mode> for i32 {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Live => common::Mode::Live.into(),
            Mode::Test => common::Mode::Test.into(),
        }
    }
}

/// Reads a field of a message.
impl TryFrom<i32> for Mode {
    type Error = Fault;

    fn try_from(mode: i32) -> Result<Self, Fault> {
        match common::Mode::try_from(mode) {
            Ok(common::Mode::Live) => Ok(Self::Live),
            Ok(common::Mode::Test) => Ok(Self::Test),
            Ok(common::Mode::Unspecified) | Err(_) => {
                Err(Fault::invalid_field("mode", "Give live or test."))
            }
        }
    }
}

impl BadFields {
    /// Reads the field `mode` of a message. After an error, the mode is test.
    pub fn mode(&mut self, mode: i32) -> Mode {
        self.take(Mode::try_from(mode)).unwrap_or(Mode::Test)
    }
}

impl Type<Postgres> for Mode {
    fn type_info() -> PgTypeInfo {
        <str as Type<Postgres>>::type_info()
    }
}

impl Decode<'_, Postgres> for Mode {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        Ok(<&str as Decode<Postgres>>::decode(value)?.parse()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_has_one_name_and_one_value_of_a_message() {
        for mode in [Mode::Live, Mode::Test] {
            assert_eq!(mode.as_str().parse::<Mode>(), Ok(mode));
            assert_eq!(Mode::try_from(i32::from(mode)), Ok(mode));
        }
        let mut bad = BadFields::default();
        for unknown in [0, 7] {
            bad.mode(unknown);
            assert!(bad.contains("mode"));
        }
    }
}
