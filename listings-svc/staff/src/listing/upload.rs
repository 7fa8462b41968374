//! Streams a file to listings-svc.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::import_request::Message;
use contracts::listings::v1::staff_import_service_client::StaffImportServiceClient;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Request;

use crate::error::Error;
use crate::file_lines::Lines;
use crate::fleet::Fleet;

const DEADLINE: Duration = Duration::from_hours(24);
/// Lines per message at most.
const LINES: usize = 500;
/// A message is sent when it has this many bytes.
const BYTES: usize = 512 * 1024;
/// Bytes of a report at most.
const REPORT: usize = 256 * 1024 * 1024;

/// Uploads a file. When the connection fails, rows that were loaded stay.
pub(crate) async fn upload(
    fleet: &Fleet,
    path: &Path,
    header: proto::ImportHeader,
) -> Result<proto::ImportResponse, Error> {
    let unreadable =
        |error: io::Error| Error::usage(format!("{} cannot be read: {error}", path.display()));
    let file = File::open(path).map_err(unreadable)?;
    let mut listings =
        StaffImportServiceClient::new(fleet.listings().await?).max_decoding_message_size(REPORT);
    let (queue, messages) = mpsc::channel(4);
    let mut request = Request::new(ReceiverStream::new(messages));
    request.set_timeout(DEADLINE);
    let reading = tokio::task::spawn_blocking(move || send(file, header, &queue));
    let response = listings.import(request).await;
    match reading.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(unreadable(error)),
        Err(error) => return Err(Error::usage(format!("reading the file failed: {error}"))),
    }
    let response = response.map_err(|status| match Error::from(status) {
        error @ Error::Unreachable(_) => error
            .followed_by("rows that were loaded stay: import the file again to load the others"),
        error => error,
    })?;
    Ok(response.into_inner())
}

/// Queues the header, the lines of a file, and its end. Returns early when the call has ended, which reports why.
fn send(
    file: File,
    header: proto::ImportHeader,
    queue: &mpsc::Sender<proto::ImportRequest>,
) -> io::Result<()> {
    if queue.blocking_send(message(Message::Header(header))).is_err() {
        return Ok(());
    }
    let mut lines = Lines::new(BufReader::with_capacity(256 * 1024, file));
    let mut batch = proto::ImportLines::default();
    let mut size = 0;
    loop {
        let line = lines.read()?;
        let full = batch.lines.len() >= LINES || size >= BYTES;
        if full || (line.is_none() && !batch.lines.is_empty()) {
            let full = std::mem::take(&mut batch);
            size = 0;
            if queue.blocking_send(message(Message::Lines(full))).is_err() {
                return Ok(());
            }
        }
        let Some(line) = line else {
            drop(queue.blocking_send(message(Message::End(proto::ImportEnd {}))));
            return Ok(());
        };
        size += line.len();
        batch.lines.push(line);
    }
}

fn message(message: Message) -> proto::ImportRequest {
    proto::ImportRequest { message: Some(message) }
}
