//! The program in whose name a service calls another: metadata of the call. The service that is called records it in its audit.

use contracts::gateway::v1::Actor;
use prost::Message as _;
use tonic::Request;
use tonic::metadata::MetadataValue;

use crate::fault::Fault;

/// The metadata with the encoded actor.
const METADATA: &str = "x-actor-bin";

/// Adds the actor to a call.
pub fn add<T>(request: &mut Request<T>, actor: &Actor) {
    let value = MetadataValue::from_bytes(&actor.encode_to_vec());
    request.metadata_mut().insert_bin(METADATA, value);
}

/// The actor of a call; `None` if it has none.
///
/// # Errors
/// `internal`: the metadata cannot be decoded.
pub fn read<T>(request: &Request<T>) -> Result<Option<Actor>, Fault> {
    let Some(value) = request.metadata().get_bin(METADATA) else {
        return Ok(None);
    };
    let bytes = value.to_bytes().map_err(|error| Fault::internal(&error))?;
    let actor = Actor::decode(bytes).map_err(|error| Fault::internal(&error))?;
    Ok(Some(actor))
}

#[cfg(test)]
mod tests {
    use contracts::gateway::v1::TokenActor;

    use super::*;

    #[test]
    fn an_actor_is_read_as_it_was_added() {
        let mut request = Request::new(());
        assert_eq!(read(&request), Ok(None));
        let actor = Actor {
            address: "192.0.2.9".to_owned(),
            token: Some(TokenActor {
                id: "1".to_owned(),
                name: "déploy".to_owned(),
            }),
            ..Actor::default()
        };
        add(&mut request, &actor);
        assert_eq!(read(&request), Ok(Some(actor)));
    }
}
