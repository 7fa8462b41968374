//! Enums of the domain in columns of the type `text`.

use sqlx::error::BoxDynError;
use sqlx::postgres::{PgTypeInfo, PgValueRef};
use sqlx::{Decode, Postgres, Type};

use crate::domain::key::{GameState, KeyKind};
use crate::domain::key_request::KeyRequestState;

/// Reads a column by the names of the variants.
macro_rules! read_text {
    ($($name:ident)*) => {$(
        impl Type<Postgres> for $name {
            fn type_info() -> PgTypeInfo {
                <str as Type<Postgres>>::type_info()
            }
        }

        impl Decode<'_, Postgres> for $name {
            fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
                let text = <&str as Decode<Postgres>>::decode(value)?;
                text.parse().map_err(|_unknown| format!("unknown: `{text}`").into())
            }
        }
    )*};
}

read_text!(KeyKind KeyRequestState GameState);
