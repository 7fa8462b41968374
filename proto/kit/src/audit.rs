//! What staff did: who may do what, and the record of it.
//!
//! Each service that staff change keeps a table `audit` of the same columns in its schema. The row of a change is written in the
//! transaction of the change, with [`append`]; a call that a role does not let through leaves a row as well.

use contracts::common::v1::{AuditEntry, ListAuditRequest, ListAuditResponse};
use serde_json::{Value, json};
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{AssertSqlSafe, PgExecutor, Row as _};
use time::OffsetDateTime;
use tonic::{Request, Status};
use uuid::Uuid;

use crate::clock::Clock;
use crate::cursor::Binding;
use crate::fault::Fault;
use crate::ids;
use crate::pg::{self, Schema};
use crate::rpc::staff::{Member, Role, refused};
use crate::timestamp;

/// Rows of a page unless it is said otherwise.
const USUAL: usize = 20;
/// Rows of a page at most.
const MOST: usize = 100;
/// The longest name that is kept of a call that was refused.
const LONGEST: usize = 200;

/// Characters of a reason at most.
const REASON: usize = 500;

/// The reason that staff give for what they do, without space around it; it may be empty.
///
/// # Errors
/// It is too long, or PostgreSQL cannot keep it.
pub fn reason(text: &str) -> Result<String, Fault> {
    let text = text.trim();
    if text.chars().count() > REASON || text.contains('\0') {
        let reason = format!("It has at most {REASON} characters.");
        return Err(Fault::invalid_field("reason", reason));
    }
    Ok(text.to_owned())
}

/// What staff do at a service.
pub trait Action: Copy + Send + 'static {
    /// Every action.
    const ALL: &'static [Self];
    /// Reading what others did.
    const READ_AUDIT: Self;
    /// Every kind of what actions are done to, as the audit names it.
    const KINDS: &'static [&'static str];

    /// As it stands in the audit.
    fn as_str(self) -> &'static str;

    /// The least role that may do it.
    fn needs(self) -> Role;

    /// The action of that name.
    fn parse(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|action| action.as_str() == name)
    }
}

/// A member of staff, and what they do.
#[derive(Debug, Clone)]
pub struct By<A> {
    /// Who.
    pub member: Member,
    /// What.
    pub action: A,
}

/// What an action was done to, and what else there is to know.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Its kind, one of [`Action::KINDS`].
    pub entity: &'static str,
    /// Its name: a slug, an id, an e-mail address.
    pub name: String,
    /// Nothing secret.
    pub details: Value,
}

impl<A: Action> By<A> {
    /// Records that the action was done.
    ///
    /// # Errors
    /// PostgreSQL's.
    pub async fn record(
        &self,
        executor: impl PgExecutor<'_>,
        schema: Schema,
        subject: Subject,
        now: OffsetDateTime,
    ) -> Result<(), sqlx::Error> {
        let entry = Entry {
            member: &self.member,
            action: self.action.as_str(),
            entity: subject.entity,
            name: &subject.name,
            refused: false,
            details: subject.details,
        };
        append(executor, schema, entry, now).await
    }
}

/// An action that is to be recorded.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// Who.
    pub member: &'a Member,
    /// What, as [`Action::as_str`] names it.
    pub action: &'static str,
    /// The kind of what it was done to.
    pub entity: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Whether it was not done, for want of a role.
    pub refused: bool,
    /// What else there is to know; nothing secret.
    pub details: Value,
}

/// Records an action.
///
/// # Errors
/// PostgreSQL's.
#[expect(
    clippy::disallowed_methods,
    reason = "the schema is a parameter; tested against PostgreSQL"
)]
pub async fn append(
    executor: impl PgExecutor<'_>,
    schema: Schema,
    entry: Entry<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let sql = format!(
        "insert into {schema}.audit (id, at, member, role, action, entity, name, refused, details)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
    );
    sqlx::query(AssertSqlSafe(sql))
        .bind(ids::row_id())
        .bind(now)
        .bind(&entry.member.name)
        .bind(entry.member.role.as_str())
        .bind(entry.action)
        .bind(entry.entity)
        .bind(entry.name)
        .bind(entry.refused)
        .bind(entry.details)
        .execute(executor)
        .await?;
    Ok(())
}

/// Lets staff do what their role allows, and lists what they did. Clones share the database.
#[derive(Debug, Clone)]
pub struct Audit {
    pool: PgPool,
    schema: Schema,
    clock: Clock,
}

impl Audit {
    /// The audit in the table `audit` of `schema`.
    pub fn new(pool: PgPool, schema: Schema, clock: Clock) -> Self {
        Self {
            pool,
            schema,
            clock,
        }
    }

    /// Who makes this call, if the member's role allows the action. `on` is the kind and name of what it would be done to.
    ///
    /// # Errors
    /// The call is not one of staff, or the role does not reach so far.
    pub async fn admit<T, A: Action>(
        &self,
        request: &Request<T>,
        action: A,
        on: (&str, &str),
    ) -> Result<By<A>, Status> {
        let member = Member::of(request)?;
        self.allow(&member, action, on).await?;
        Ok(By { member, action })
    }

    /// Refuses an action that the member's role does not allow, and records that it was tried.
    ///
    /// # Errors
    /// The role does not reach so far.
    pub async fn allow(
        &self,
        member: &Member,
        action: impl Action,
        (entity, name): (&str, &str),
    ) -> Result<(), Status> {
        let needed = action.needs();
        if member.role.covers(needed) {
            return Ok(());
        }
        let action = action.as_str();
        let entry = Entry {
            member,
            action,
            entity: &harmless(entity),
            name: &harmless(name),
            refused: true,
            details: json!({ "needs": needed.as_str() }),
        };
        if let Err(error) = append(&self.pool, self.schema, entry, self.clock.now()).await {
            tracing::warn!(%error, member = member.name, action, "a refusal is not in the audit");
        }
        Err(refused(format!(
            "this needs the role {}, and {} has the role {}: ask an admin to do it, or for the role",
            needed.as_str(),
            member.name,
            member.role.as_str()
        )))
    }

    /// The call `ListAudit` of a service whose staff do `A`.
    ///
    /// # Errors
    /// The role does not reach so far, or the request is not one.
    pub async fn list<A: Action>(
        &self,
        request: Request<ListAuditRequest>,
    ) -> Result<ListAuditResponse, Status> {
        let member = Member::of(&request)?;
        let mut request = request.into_inner();
        // Everybody may look at what they did themselves.
        if member.role != Role::Admin && request.member.is_empty() {
            request.member.clone_from(&member.name);
        }
        if request.member != member.name {
            let on = ("member", request.member.as_str());
            self.allow(&member, A::READ_AUDIT, on).await?;
        }
        let page = Page::of::<A>(&request)?;
        let rows = self.rows(&request, &page).await;
        let rows = rows.map_err(|error| pg::fault(&error))?;
        Ok(page.answer(rows)?)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn rows(
        &self,
        request: &ListAuditRequest,
        page: &Page,
    ) -> Result<Vec<(Position, AuditEntry)>, sqlx::Error> {
        let sql = format!(
            "select id, at, member, role, action, entity, name, refused, details from {}.audit
             where ($1::text is null or member = $1) and ($2::text is null or action = $2)
                 and ($3::text is null or entity = $3) and ($4::text is null or name = $4)
                 and ($5::timestamptz is null or at >= $5)
                 and ($6::timestamptz is null or (at, id) < ($6, $7::uuid))
             order by at desc, id desc limit $8",
            self.schema
        );
        let given = |text: &str| Some(harmless(text)).filter(|text| !text.is_empty());
        let (after_at, after_id) = page.after.unzip();
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(given(&request.member))
            .bind(given(&request.action))
            .bind(given(&request.entity))
            .bind(given(&request.name))
            .bind(page.since)
            .bind(after_at)
            .bind(after_id)
            // One more than the page has tells whether there is another.
            .bind(i64::try_from(page.limit + 1).unwrap_or(i64::MAX))
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(entry).collect()
    }
}

/// Of a row among all, the newest first.
type Position = (OffsetDateTime, Uuid);

/// Which rows are wanted.
struct Page {
    binding: Binding,
    limit: usize,
    since: Option<OffsetDateTime>,
    /// The last row of the page before.
    after: Option<Position>,
}

impl Page {
    fn of<A: Action>(request: &ListAuditRequest) -> Result<Self, Fault> {
        let mut problems: Vec<(&str, String)> = Vec::new();
        if !request.action.is_empty() && A::parse(&request.action).is_none() {
            let known: Vec<&str> = A::ALL.iter().map(|action| action.as_str()).collect();
            problems.push(("action", format!("One of {}.", known.join(", "))));
        }
        if !request.entity.is_empty() && !A::KINDS.contains(&request.entity.as_str()) {
            problems.push(("entity", format!("One of {}.", A::KINDS.join(", "))));
        }
        let since = request.since.map(timestamp::decode);
        if since == Some(None) {
            problems.push(("since", "This is no point in time.".to_owned()));
        }
        let limit = match usize::try_from(request.limit) {
            Ok(0) => USUAL,
            Ok(limit) if limit <= MOST => limit,
            _ => {
                problems.push(("limit", format!("Ask for 1 to {MOST} rows.")));
                USUAL
            }
        };
        let moment = (request.since).map(|at| format!("{}.{}", at.seconds, at.nanos));
        let filters = [
            Some(request.member.as_str()),
            Some(request.action.as_str()),
            Some(request.entity.as_str()),
            Some(request.name.as_str()),
            moment.as_deref(),
        ];
        let binding = Binding::new("audit", filters);
        let after = binding.decode(&request.cursor).and_then(position);
        if after.is_none() && !request.cursor.is_empty() {
            let reason = "It belongs to another list or other filters: begin without one.";
            problems.push(("cursor", reason.to_owned()));
        }
        if problems.is_empty() {
            return Ok(Self {
                binding,
                limit,
                since: since.flatten(),
                after,
            });
        }
        let fields = problems.into_iter();
        let fields = fields.map(|(field, reason)| (field.to_owned(), reason));
        Err(Fault::invalid(fields.collect()))
    }

    /// Cuts what was found to the page.
    fn answer(&self, mut rows: Vec<(Position, AuditEntry)>) -> Result<ListAuditResponse, Fault> {
        let more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let last = rows.last().filter(|_| more);
        let cursor =
            last.map(|((at, id), _)| self.binding.encode(&(at.unix_timestamp_nanos(), id)));
        let cursor = cursor
            .transpose()
            .map_err(|error| Fault::internal(&error))?;
        Ok(ListAuditResponse {
            entries: rows.into_iter().map(|(_, entry)| entry).collect(),
            next_cursor: cursor.unwrap_or_default(),
        })
    }
}

/// A name from a request, fit for the table: PostgreSQL takes no NUL, and nothing is called so.
fn harmless(name: &str) -> String {
    let name = name.replace('\0', "\u{FFFD}");
    name.chars().take(LONGEST).collect()
}

fn position((nanos, id): (i128, Uuid)) -> Option<Position> {
    let at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?;
    Some((at, id))
}

fn entry(row: &PgRow) -> Result<(Position, AuditEntry), sqlx::Error> {
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
    Ok(((at, id), entry))
}
