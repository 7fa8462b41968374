//! The bytes of an uploaded file, after the header of its stream.

use std::time::Duration;

use bytes::Bytes;
use kit::{Code, Fault};
use tonic::{Status, Streaming};

use crate::pictures::FIELD;

/// Time limit for receiving a file.
pub(super) const TIMEOUT: Duration = Duration::from_mins(2);

/// A message after the header.
pub(super) enum Part {
    Chunk(Bytes),
    End,
    /// A second header, or nothing.
    Unexpected,
}

/// Receives the chunks of a file of at most `most` bytes, and its end.
pub(super) async fn receive<M>(
    stream: &mut Streaming<M>,
    part: impl Fn(M) -> Part + Send,
    most: usize,
) -> Result<Vec<u8>, Status>
where
    M: Send,
{
    let mut file = Vec::new();
    let mut ended = false;
    while let Some(message) = stream.message().await? {
        match part(message) {
            Part::Chunk(chunk) if !ended => {
                if file.len() + chunk.len() > most {
                    return Err(too_large(most).into());
                }
                file.extend_from_slice(&chunk);
            }
            Part::End if !ended => ended = true,
            _ => return Err(unexpected_message().into()),
        }
    }
    // A client that is cut off may close its stream in good order.
    if !ended {
        return Err(truncated_stream().into());
    }
    Ok(file)
}

pub(super) fn unexpected_message() -> Fault {
    Fault::invalid_field(
        "message",
        "Send one header, then the file in parts, then the end.",
    )
}

fn too_large(most: usize) -> Fault {
    let megabytes = most / (1024 * 1024);
    Fault::invalid_field(
        FIELD,
        format!("Make it smaller: a file has {megabytes} MB at most."),
    )
}

pub(super) fn truncated_stream() -> Fault {
    let message = "The stream ended before the end message. Send the file again.";
    Fault::new(Code::Unavailable, message).with_retry_after(1)
}
