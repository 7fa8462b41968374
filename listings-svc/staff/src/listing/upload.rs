//! Streams a file to listings-svc, and resumes where the service stopped when the connection fails.

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::Path;
use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::import_request::Message;
use contracts::listings::v1::staff_import_service_client::StaffImportServiceClient;
use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Request;

use crate::error::Error;
use crate::file_lines::Lines;
use crate::fleet::Fleet;
use crate::output;

/// Attempts in a row without progress before the upload fails.
const ATTEMPTS: u32 = 5;
const DEADLINE: Duration = Duration::from_hours(24);
/// Lines per message at most.
const LINES: usize = 500;
/// A message is sent when it has this many bytes.
const BYTES: usize = 512 * 1024;
/// Bytes of a report at most.
const REPORT: usize = 256 * 1024 * 1024;

/// Uploads a file; `header` lacks only the digest.
pub(crate) async fn upload(
    fleet: &Fleet,
    path: &Path,
    header: proto::ImportHeader,
) -> Result<proto::ImportResponse, Error> {
    let unreadable =
        |error: io::Error| Error::usage(format!("{} cannot be read: {error}", path.display()));
    let (file_sha256, size) = digest(path).map_err(unreadable)?;
    let header = proto::ImportHeader {
        file_sha256,
        ..header
    };
    let bar = progress_bar(size, &header.file_name);
    let mut reached = 0;
    let mut attempts = 1;
    loop {
        let mut from = 0;
        match attempt(fleet, path, &header, &bar, &mut from).await {
            Ok(report) => {
                bar.finish_and_clear();
                return Ok(report);
            }
            Err(Error::Unreachable(reason)) if attempts < ATTEMPTS || from > reached => {
                if from > reached {
                    reached = from;
                    attempts = 0;
                }
                attempts += 1;
                bar.suspend(|| output::note(&format!("{reason}; trying again")));
                tokio::time::sleep(Duration::from_secs(attempts.into())).await;
            }
            Err(error) => {
                bar.abandon();
                return Err(error);
            }
        }
    }
}

/// Sends the lines that the service does not have yet. Sets `from` to the first of them.
async fn attempt(
    fleet: &Fleet,
    path: &Path,
    header: &proto::ImportHeader,
    bar: &ProgressBar,
    from: &mut u64,
) -> Result<proto::ImportResponse, Error> {
    let mut listings =
        StaffImportServiceClient::new(fleet.listings().await?).max_decoding_message_size(REPORT);
    let request = proto::GetImportRequest {
        header: Some(header.clone()),
    };
    let next_line = listings.get_import(request).await?.into_inner().next_line;
    *from = next_line;

    let (queue, messages) = mpsc::channel(4);
    let first = Message::Header(header.clone());
    // The queue is empty and its receiver is still here: this neither waits nor fails.
    drop(queue.send(message(first)).await);
    let mut request = Request::new(ReceiverStream::new(messages));
    request.set_timeout(DEADLINE);
    let call = listings.import(request);
    tokio::pin!(call);

    let (file, counter) = (path.to_owned(), bar.clone());
    let mut reading = tokio::task::spawn_blocking(move || send(&file, next_line, &queue, &counter));
    let mut at_end = false;
    loop {
        tokio::select! {
            response = &mut call => return Ok(response?.into_inner()),
            read = &mut reading, if !at_end => match read {
                Ok(Ok(())) => at_end = true,
                Ok(Err(error)) => {
                    return Err(Error::usage(format!("{} cannot be read: {error}", path.display())));
                }
                Err(error) => return Err(Error::usage(format!("reading the file failed: {error}"))),
            },
        }
    }
}

/// Queues the lines of a file from `next_line` on, and its end. Returns early when the call has ended.
fn send(
    path: &Path,
    next_line: u64,
    queue: &mpsc::Sender<proto::ImportRequest>,
    bar: &ProgressBar,
) -> io::Result<()> {
    let mut lines = Lines::new(BufReader::with_capacity(256 * 1024, File::open(path)?));
    let mut batch = proto::ImportLines::default();
    let (mut size, mut position) = (0, 0);
    loop {
        let line = lines.read()?;
        let full = batch.lines.len() >= LINES || size >= BYTES;
        if full || (line.is_none() && !batch.lines.is_empty()) {
            let full = std::mem::take(&mut batch);
            size = 0;
            if queue.blocking_send(message(Message::Lines(full))).is_err() {
                return Ok(());
            }
            bar.set_position(position);
        }
        let Some(line) = line else {
            // The receiver was dropped: the call has ended and reports why.
            drop(queue.blocking_send(message(Message::End(proto::ImportEnd {}))));
            return Ok(());
        };
        position += line.bytes;
        if line.number < next_line {
            continue;
        }
        if batch.lines.is_empty() {
            batch.first_line = line.number;
        }
        size += line.text.len();
        batch.lines.push(line.text);
    }
}

fn message(message: Message) -> proto::ImportRequest {
    proto::ImportRequest {
        message: Some(message),
    }
}

/// The SHA-256 of a file, in lower-case hexadecimal, and its size.
fn digest(path: &Path) -> io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    let mut size = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((hex::encode(digest.finalize()), size)),
            Ok(read) => {
                digest.update(&buffer[..read]);
                size += u64::try_from(read).unwrap_or(u64::MAX);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A progress bar on stderr, when stderr is a terminal.
fn progress_bar(size: u64, name: &str) -> ProgressBar {
    let bar = ProgressBar::new(size);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}")
    {
        bar.set_style(style);
    }
    bar.set_message(name.to_owned());
    bar
}
