//! Authorization of staff actions, and the audit of them.
//!
//! Each service with staff calls has a table `audit` with the same columns in its schema. [`append`] writes the row of a change in the
//! transaction of the change. A call that is refused for lack of a role leaves a row as well.

use contracts::common::v1::{AuditEntry, ListAuditRequest, ListAuditResponse};
use serde_json::{Value, json};
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{PgExecutor, Row as _};
use strum::VariantArray;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::api::bad_fields::BadFields;
use crate::api::cursor::{Binding, SortTime};
use crate::api::fault::Fault;
use crate::api::page::{Limits, Page};
use crate::api::timestamp;
use crate::clock::Clock;
use crate::ids;
use crate::pg::Schema;
use crate::rpc::staff::{Member, Role, permission_denied};

/// The most characters that are stored of the name in a refused call.
const MAX_NAME: usize = 200;

/// The `role` of a person who acts for their own account at the dashboard.
pub const PERSON: &str = "person";

/// The most characters of a reason.
const MAX_REASON: usize = 500;

/// Checks and trims the reason that staff give for an action. It may be empty.
///
/// # Errors
/// The reason is too long, or has a NUL character, which PostgreSQL cannot store.
pub fn reason(text: &str) -> Result<String, Fault> {
    let text = text.trim();
    if text.chars().count() > MAX_REASON || text.contains('\0') {
        let reason = format!("It has at most {MAX_REASON} characters, without NUL.");
        return Err(Fault::invalid_field("reason", reason));
    }
    Ok(text.to_owned())
}

/// The staff actions of a service.
pub trait Action: VariantArray + Into<&'static str> + Copy + Send {
    /// The action of reading the audit entries of other members.
    const READ_AUDIT: Self;
    /// The entity types that actions change, as the audit names them.
    const KINDS: &'static [&'static str];

    /// The name of the action in the audit.
    fn as_str(self) -> &'static str {
        self.into()
    }

    /// The lowest role that may do this action.
    fn needs(self) -> Role;
}

/// An action that a staff member is authorized to do.
#[derive(Debug, Clone)]
pub struct AuthorizedAction<A> {
    /// The staff member.
    pub member: Member,
    /// The action.
    pub action: A,
}

/// The entity that an action changed.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The entity type, one of [`Action::KINDS`].
    pub entity: &'static str,
    /// A slug, an id or an e-mail address.
    pub name: String,
    /// Further details, without secrets.
    pub details: Value,
}

impl<A: Action> AuthorizedAction<A> {
    /// Records that the action was done.
    ///
    /// # Errors
    /// The errors of PostgreSQL.
    pub async fn record(
        &self,
        executor: impl PgExecutor<'_>,
        schema: Schema,
        subject: Subject,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let entry = Entry {
            member: &self.member.name,
            role: self.member.role.as_str(),
            action: self.action.as_str(),
            entity: subject.entity,
            name: &subject.name,
            refused: false,
            details: subject.details,
        };
        append(executor, schema, entry, now).await
    }
}

/// An audit entry to record.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// The name of the staff member, or the id of a person.
    pub member: &'a str,
    /// The role of the staff member, or [`PERSON`].
    pub role: &'static str,
    /// The action, as [`Action::as_str`] names it.
    pub action: &'static str,
    /// The entity type.
    pub entity: &'a str,
    /// The name of the entity.
    pub name: &'a str,
    /// Whether the action was refused for lack of a role.
    pub refused: bool,
    /// Further details, without secrets.
    pub details: Value,
}

/// Records an action.
///
/// # Errors
/// The errors of PostgreSQL.
pub async fn append(
    executor: impl PgExecutor<'_>,
    schema: Schema,
    entry: Entry<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let sql = "insert into kit.audit (id, at, member, role, action, entity, name, refused, details)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    schema
        .query(sql)
        .bind(ids::row_id())
        .bind(now)
        .bind(entry.member)
        .bind(entry.role)
        .bind(entry.action)
        .bind(entry.entity)
        .bind(entry.name)
        .bind(entry.refused)
        .bind(entry.details)
        .execute(executor)
        .await?;
    Ok(())
}

/// Authorizes staff actions by role, and lists the audit. Clones share the database pool.
#[derive(Debug, Clone)]
pub struct Audit {
    pool: PgPool,
    schema: Schema,
    clock: Clock,
}

impl Audit {
    /// The audit in the table `audit` of `schema`.
    pub fn new(pool: PgPool, schema: Schema, clock: Clock) -> Self {
        Self { pool, schema, clock }
    }

    /// Authorizes the caller of `request` to do `action`. `on` is the type and name of the entity.
    ///
    /// # Errors
    /// The caller is not staff, or the role is not sufficient.
    pub async fn admit<T, A: Action>(
        &self,
        request: &Request<T>,
        action: A,
        on: (&str, &str),
    ) -> Result<AuthorizedAction<A>, Status> {
        let member = Member::of(request)?;
        self.allow(&member, action, on).await?;
        Ok(AuthorizedAction { member, action })
    }

    /// Checks that the member's role allows an action on an entity, named by `on` as in [`admit`](Self::admit), and records the attempt when it does
    /// not.
    ///
    /// # Errors
    /// The role is not sufficient.
    pub async fn allow(
        &self,
        member: &Member,
        action: impl Action,
        on: (&str, &str),
    ) -> Result<(), Status> {
        let needed = action.needs();
        if member.role.covers(needed) {
            return Ok(());
        }
        let (entity, name) = on;
        let action = action.as_str();
        let entry = Entry {
            member: &member.name,
            role: member.role.as_str(),
            action,
            entity: &sanitize(entity),
            name: &sanitize(name),
            refused: true,
            details: json!({ "needs": needed.as_str() }),
        };
        if let Err(error) = append(&self.pool, self.schema, entry, self.clock.now()).await {
            tracing::warn!(%error, member = member.name, action, "cannot record a refused action in the audit");
        }
        Err(permission_denied(format!(
            "This needs the role {}, and {} has the role {}. Ask an admin to do it or to give you the role.",
            needed.as_str(),
            member.name,
            member.role.as_str()
        )))
    }

    /// Serves the call `ListAudit`.
    ///
    /// # Errors
    /// The role is not sufficient, or a field is invalid.
    pub async fn list<A: Action>(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<Response<ListAuditResponse>, Status> {
        let member = Member::of(&request)?;
        let mut request = request.into_inner();
        // Every member may read their own entries.
        if member.role != Role::Admin && request.member.is_empty() {
            request.member.clone_from(&member.name);
        }
        if request.member != member.name {
            let on = ("member", request.member.as_str());
            self.allow(&member, A::READ_AUDIT, on).await?;
        }
        let mut bad = BadFields::default();
        let actions: Vec<&str> = A::VARIANTS.iter().map(|action| action.as_str()).collect();
        for (field, name, known) in
            [("action", &*request.action, &*actions), ("entity", &*request.entity, A::KINDS)]
        {
            if !name.is_empty() && !known.contains(&name) {
                bad.add(field, format!("One of {}.", known.join(", ")));
            }
        }
        let since = bad.time("since", request.since);
        let since_filter = since.map(|at| at.unix_timestamp_nanos().to_string());
        let filters = [
            Some(request.member.as_str()),
            Some(request.action.as_str()),
            Some(request.entity.as_str()),
            Some(request.name.as_str()),
            since_filter.as_deref(),
        ];
        let binding = Binding::new("audit", filters);
        let page = bad.read_page(Limits::PUBLIC, binding, request.limit, &request.cursor);
        bad.check()?;
        let mut rows = self.rows(&request, since, &page).await.map_err(Fault::from)?;
        let next_cursor = page.cut(&mut rows, |(key, _)| *key)?;
        Ok(Response::new(ListAuditResponse {
            entries: rows.into_iter().map(|(_, entry)| entry).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        }))
    }

    async fn rows(
        &self,
        request: &ListAuditRequest,
        since: Option<OffsetDateTime>,
        page: &Page<SortKey>,
    ) -> Result<Vec<(SortKey, AuditEntry)>, sqlx::Error> {
        let sql =
            "select id, at, member, role, action, entity, name, refused, details from kit.audit
             where ($1::text is null or member = $1) and ($2::text is null or action = $2)
                 and ($3::text is null or entity = $3) and ($4::text is null or name = $4)
                 and ($5::timestamptz is null or at >= $5)
                 and ($6::timestamptz is null or (at, id) < ($6, $7::uuid))
             order by at desc, id desc limit $8";
        let non_empty = |text: &str| Some(sanitize(text)).filter(|text| !text.is_empty());
        let after = page.after;
        let (after_at, after_id) = after.map(|(SortTime(at), id)| (at, id)).unzip();
        let rows = self
            .schema
            .query(sql)
            .bind(non_empty(&request.member))
            .bind(non_empty(&request.action))
            .bind(non_empty(&request.entity))
            .bind(non_empty(&request.name))
            .bind(since)
            .bind(after_at)
            .bind(after_id)
            .bind(page.rows_to_fetch())
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(entry).collect()
    }
}

/// The sort key of a row; the newest comes first.
type SortKey = (SortTime, Uuid);

/// Makes a text from a request fit for the table: PostgreSQL stores no NUL.
fn sanitize(name: &str) -> String {
    let name = name.replace('\0', "\u{FFFD}");
    name.chars().take(MAX_NAME).collect()
}

fn entry(row: &PgRow) -> Result<(SortKey, AuditEntry), sqlx::Error> {
    let (id, at): (Uuid, OffsetDateTime) = (row.try_get("id")?, row.try_get("at")?);
    let details: Value = row.try_get("details")?;
    let entry = AuditEntry {
        id: id.to_string(),
        at: Some(timestamp::encode(at)),
        member: row.try_get("member")?,
        role: row.try_get("role")?,
        action: row.try_get("action")?,
        entity: row.try_get("entity")?,
        name: row.try_get("name")?,
        refused: row.try_get("refused")?,
        details: details.to_string(),
    };
    Ok(((SortTime(at), id), entry))
}
