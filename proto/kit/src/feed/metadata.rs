//! The position of the data from which a call was refused, in the metadata of its status.

use tonic::Status;
use tonic::metadata::AsciiMetadataValue;

use super::Position;

const NAME: &str = "feed-position";

impl Position {
    /// Adds this position to the metadata of `status`.
    pub fn attach_to(self, status: &mut Status) {
        let text = format!("{}/{}", self.epoch, self.seq);
        if let Ok(value) = AsciiMetadataValue::try_from(text) {
            status.metadata_mut().insert(NAME, value);
        }
    }

    /// The position in the metadata of `status`, if it has one.
    pub fn from_status(status: &Status) -> Option<Self> {
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
    fn a_status_carries_a_position() {
        let mut status = Status::from(crate::Fault::not_found("nothing"));
        assert_eq!(Position::from_status(&status), None);
        let position = Position {
            epoch: crate::ids::row_id(),
            seq: 7,
        };
        position.attach_to(&mut status);
        assert_eq!(Position::from_status(&status), Some(position));
    }
}
