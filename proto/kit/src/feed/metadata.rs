//! How far the state reached that a call was refused from, in the metadata of its status.

use tonic::Status;
use tonic::metadata::AsciiMetadataValue;

use super::Position;

const NAME: &str = "feed-position";

impl Position {
    /// Says in `status` that the refusal was decided at this position.
    pub fn attach(self, status: &mut Status) {
        let text = format!("{}/{}", self.epoch, self.seq);
        if let Ok(value) = AsciiMetadataValue::try_from(text) {
            status.metadata_mut().insert(NAME, value);
        }
    }

    /// The position at which a refusal was decided, where `status` says it.
    pub fn of_refusal(status: &Status) -> Option<Self> {
        let (epoch, seq) = status
            .metadata()
            .get(NAME)?
            .to_str()
            .ok()?
            .split_once('/')?;
        Some(Self {
            epoch: epoch.parse().ok()?,
            seq: seq.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_where_it_was_decided() {
        let mut status = Status::from(crate::Fault::not_found("nothing"));
        assert_eq!(Position::of_refusal(&status), None);
        let position = Position {
            epoch: crate::ids::row_id(),
            seq: 7,
        };
        position.attach(&mut status);
        assert_eq!(Position::of_refusal(&status), Some(position));
    }
}
