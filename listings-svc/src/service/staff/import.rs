//! Imports of files by staff (`listings/v1/staff_import.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::import_request::Message;
use contracts::listings::v1::staff_import_service_server::StaffImportService;
use kit::api::bad_fields::BadFields;
use kit::rpc::staff::Member;
use kit::{Code, Fault};
use strum::VariantNames as _;
use tonic::{Request, Response, Status, Streaming};

use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::text;
use crate::service::Service;
use crate::write::import::report::has_rows;
use crate::write::import::{Header, Run};

/// Maximum size of a message: a few lines of maximum length.
pub(in crate::service) const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;

#[tonic::async_trait]
impl StaffImportService for Service {
    async fn import(
        &self,
        request: Request<Streaming<proto::ImportRequest>>,
    ) -> Result<Response<proto::ImportResponse>, Status> {
        let by = Member::of(&request)?;
        let mut stream = request.into_inner();
        let first = stream.message().await?.and_then(|m| m.message);
        let Some(Message::Header(first)) = first else {
            return Err(unexpected_message().into());
        };
        self.audit.allow(&by, AuditAction::Import, (&first.entity, &first.file_name)).await?;
        let mut run = self.importer.begin(header(&first, by)?);
        let mut ended = false;
        while let Some(message) = self.next_message(&mut stream, &run).await? {
            match message.message {
                Some(Message::Lines(lines)) if !ended => {
                    run.push_lines(lines.lines).await?;
                }
                Some(Message::End(_)) if !ended => ended = true,
                _ => return Err(unexpected_message().into()),
            }
        }
        // A client that is cut off may close its stream in good order.
        if !ended {
            return Err(run.interrupted(truncated_stream()).into());
        }
        let report = run.finish().await;
        if !has_rows(&report) {
            return Err(Fault::invalid_field(
                "file",
                "The file has no rows: write one JSON object per line.",
            )
            .into());
        }
        Ok(Response::new(report))
    }
}

impl Service {
    async fn next_message(
        &self,
        stream: &mut Streaming<proto::ImportRequest>,
        run: &Run,
    ) -> Result<Option<proto::ImportRequest>, Status> {
        tokio::select! {
            message = stream.message() => message,
            () = self.draining.cancelled() => {
                let stopping = Fault::unavailable("listings-svc, which is stopping");
                Err(run.interrupted(stopping).into())
            }
        }
    }
}

fn unexpected_message() -> Fault {
    Fault::invalid_field("message", "Send one header, then the lines, then the end.")
}

fn truncated_stream() -> Fault {
    let message = "The stream ended before the end message. Import the file again: rows that were loaded stay.";
    Fault::new(Code::Unavailable, message).with_retry_after(1)
}

fn header(header: &proto::ImportHeader, by: Member) -> Result<Header, Fault> {
    let mut bad = BadFields::default();
    let entity: Option<Entity> = header.entity.parse().ok();
    if entity.is_none() {
        let known = Entity::VARIANTS.join(", ");
        bad.add("entity", format!("Give one of {known}."));
    }
    let mode = bad.mode(header.mode);
    let file_name = text::line(&header.file_name, text::MAX_DESCRIPTION);
    let file_name = bad.read("file_name", file_name);
    let (entity, file_name) = bad.finish(entity.zip(file_name))?;
    Ok(Header { entity, mode, file_name, by: Some(by) })
}
