//! The stream of an upload: a header, the bytes of the file, and the end.

use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::add_own_picture_request::Message;
use kit::{Code, Fault};
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::pictures::FIELD;

/// Time limit for receiving the header, and then the file.
const TIMEOUT: Duration = Duration::from_mins(2);

type Upload = Streaming<proto::AddOwnPictureRequest>;

pub(super) async fn receive_header(stream: &mut Upload) -> Result<proto::OwnPictureHeader, Status> {
    let first =
        timeout(TIMEOUT, stream.message()).await.map_err(|_elapsed| truncated_stream())??;
    match first.and_then(|it| it.message) {
        Some(Message::Header(header)) => Ok(header),
        _ => Err(unexpected_message().into()),
    }
}

/// Receives a file of at most `most` bytes.
pub(super) async fn receive_file(stream: &mut Upload, most: usize) -> Result<Vec<u8>, Status> {
    let file = timeout(TIMEOUT, chunks(stream, most)).await;
    file.unwrap_or_else(|_| Err(truncated_stream().into()))
}

async fn chunks(stream: &mut Upload, most: usize) -> Result<Vec<u8>, Status> {
    let mut file = Vec::new();
    let mut ended = false;
    while let Some(message) = stream.message().await? {
        match message.message {
            Some(Message::Chunk(chunk)) if !ended => {
                if file.len() + chunk.len() > most {
                    return Err(too_large(most).into());
                }
                file.extend_from_slice(&chunk);
            }
            Some(Message::End(_)) if !ended => ended = true,
            _ => return Err(unexpected_message().into()),
        }
    }
    // A client that is cut off may close its stream in good order.
    if !ended {
        return Err(truncated_stream().into());
    }
    Ok(file)
}

fn unexpected_message() -> Fault {
    Fault::invalid_field("message", "Send one header, then the file in parts, then the end.")
}

fn too_large(most: usize) -> Fault {
    let megabytes = most / (1024 * 1024);
    Fault::invalid_field(FIELD, format!("Make it smaller: a file has {megabytes} MB at most."))
}

fn truncated_stream() -> Fault {
    let message = "The stream ended before the end message. Send the file again.";
    Fault::new(Code::Unavailable, message).with_retry_after(1)
}
