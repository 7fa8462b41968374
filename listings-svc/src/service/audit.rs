//! What the staff did (`listings/v1/staff_audit.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_audit_service_server::StaffAuditService;
use kit::cursor::Binding;
use kit::rpc::staff::{Member, Role};
use kit::{Fault, pg};
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::desk::Desk;
use super::names::Problems;
use super::paging::{self, Paging};
use crate::domain::deed::Deed;
use crate::store::audit::{self, Filter, Row};

/// The service.
#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    desk: Desk,
}

impl Service {
    /// The service that reads from `pool`.
    pub fn new(pool: PgPool, desk: Desk) -> Self {
        Self { pool, desk }
    }
}

#[tonic::async_trait]
impl StaffAuditService for Service {
    async fn list_audit(
        &self,
        request: Request<proto::ListAuditRequest>,
    ) -> Result<Response<proto::ListAuditResponse>, Status> {
        let member = Member::of(&request)?;
        let mut request = request.into_inner();
        // Everybody may look at what they did themselves.
        if member.role != Role::Admin && request.member.is_empty() {
            request.member.clone_from(&member.name);
        }
        if request.member != member.name {
            let on = ("member", request.member.as_str());
            self.desk.allow(&member, Deed::ReadAudit, on).await?;
        }
        Ok(Response::new(self.list(request).await?))
    }
}

impl Service {
    async fn list(
        &self,
        request: proto::ListAuditRequest,
    ) -> Result<proto::ListAuditResponse, Fault> {
        let mut problems = Problems::new();
        let filter = filter(&request, &mut problems);
        let since = request
            .since
            .map(|at| format!("{}.{}", at.seconds, at.nanos));
        let binding = Binding::new(
            "audit",
            [
                Some(request.member.as_str()),
                Some(request.action.as_str()),
                Some(request.entity.as_str()),
                Some(request.name.as_str()),
                since.as_deref(),
            ],
        );
        let paging =
            Paging::<(i128, Uuid)>::read(binding, request.limit, &request.cursor, &mut problems);
        let after = paging.after.and_then(|(nanos, id)| {
            let at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?;
            Some((at, id))
        });
        if !problems.is_empty() {
            return Err(Fault::invalid(problems));
        }
        let rows = audit::page(&self.pool, &filter, after, paging.fetch())
            .await
            .map_err(|error| pg::fault(&error))?;
        let (rows, next_cursor) =
            paging.finish(rows, |row| (row.at.unix_timestamp_nanos(), row.id))?;
        Ok(proto::ListAuditResponse {
            deeds: rows.into_iter().map(message).collect(),
            next_cursor,
        })
    }
}

fn filter(request: &proto::ListAuditRequest, problems: &mut Problems) -> Filter {
    let given = |text: &str| {
        // PostgreSQL takes no NUL, and nothing is called so.
        Some(text.replace('\0', "\u{FFFD}")).filter(|text| !text.is_empty())
    };
    if !request.action.is_empty() && Deed::parse(&request.action).is_none() {
        let known = Deed::ALL.map(Deed::as_str).join(", ");
        problems.insert("action".to_owned(), format!("One of {known}."));
    }
    let since = request.since.map(|at| {
        let moment = paging::moment(at);
        if moment.is_none() {
            problems.insert("since".to_owned(), "This is no point in time.".to_owned());
        }
        moment
    });
    Filter {
        member: given(&request.member),
        action: given(&request.action),
        entity: given(&request.entity),
        name: given(&request.name),
        since: since.flatten(),
    }
}

fn message(row: Row) -> proto::Deed {
    proto::Deed {
        id: row.id.to_string(),
        at: Some(pg::timestamp(row.at)),
        member: row.member,
        role: row.role,
        action: row.action,
        entity: row.entity,
        name: row.name,
        refused: row.refused,
        details: row.details.to_string(),
    }
}
