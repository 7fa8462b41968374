//! The callers of an operation, as security schemes. They follow from the requirements of its route.

use serde_json::{Value, json};

use crate::domain::access::{AllowedKeys, Effect, Requirements};

/// The role of a key that was made with *May write*.
const WRITE: &str = "write";

/// The schemes by name. All are `Authorization: Bearer`.
pub(super) fn schemes() -> Value {
    let scheme =
        |description: &str| json!({"type": "http", "scheme": "bearer", "description": description});
    json!({
        "key": scheme("A key of the account, from the dashboard. A key with the role `write` was created with *May write*."),
        "secretKey": scheme("The secret key of a game, for the game's server."),
        "publicKey": scheme("The public key of a game, which may be shipped with the game. It never writes."),
    })
}

/// The schemes of which an operation takes any one, each with the roles that it needs.
pub(super) fn alternatives(required: &Requirements) -> Vec<Value> {
    let (schemes, role): (&[&str], Option<&str>) = match (required.keys, required.effect) {
        (AllowedKeys::Any, Effect::Submit | Effect::Edit) => (&["key", "secretKey"], Some(WRITE)),
        (AllowedKeys::Any, _) => (&["key", "secretKey", "publicKey"], None),
        (AllowedKeys::NotPublic, _) => (&["key", "secretKey"], None),
        (AllowedKeys::Secret, _) => (&["secretKey"], None),
        (AllowedKeys::Game, _) => (&["secretKey", "publicKey"], None),
    };
    let roles: Vec<&str> = role.into_iter().collect();
    schemes.iter().map(|scheme| json!({ *scheme: roles })).collect()
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::router::API;

    #[test]
    fn the_security_of_an_operation_follows_from_its_route() {
        for (method, pattern, expected) in [
            (Method::GET, "/v1/games", json!([{"key": []}, {"secretKey": []}, {"publicKey": []}])),
            (Method::POST, "/v1/games", json!([{"key": ["write"]}, {"secretKey": ["write"]}])),
            (Method::GET, "/v1/me/listings", json!([{"key": []}, {"secretKey": []}])),
            (Method::POST, "/v1/play/tips", json!([{"secretKey": []}, {"publicKey": []}])),
            (Method::GET, "/v1/economy/rates", json!([{"secretKey": []}])),
        ] {
            let taken = alternatives(&(API.requirements)(&method, pattern).unwrap());
            assert_eq!(json!(taken), expected, "{method} {pattern}");
        }
    }
}
