//! Changes of the staff's members.

use kit::audit::{AuthorizedAction, Subject};
use kit::rpc::staff::{Member, OPERATOR, Role};
use kit::{Code, Fault};
use serde_json::{Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::CommandDependencies;
use crate::SCHEMA;
use crate::domain::audit_action::AuditAction;
use crate::store::members::{self as store, MemberRow, NewToken};

#[derive(Debug)]
pub struct MemberChange {
    /// Was admitted before the change waited, and may have been revoked since.
    pub by: Member,
    /// The name of the member that changes.
    pub name: String,
    pub operation: MemberOperation,
}

#[derive(Debug)]
pub enum MemberOperation {
    Create(Role, NewToken),
    SetRole(Role),
    Revoke,
    /// Replaces the token.
    Renew(NewToken),
}

/// Returns the member after the change. All members are locked until it is committed: the number of admins does not change meanwhile.
pub async fn apply(
    commands: &CommandDependencies,
    change: &MemberChange,
) -> Result<MemberRow, Fault> {
    let mut context = commands.begin().await?;
    let (connection, now) = (&mut *context.connection, context.now);
    let members = store::lock(connection).await?;
    check_author(&members, change)?;
    let name = change.name.as_str();
    let (action, details) = match &change.operation {
        MemberOperation::Create(role, token) => {
            let by = &change.by.name;
            if !store::create(connection, name, *role, *token, by, now).await? {
                let reason =
                    "This name was used before, and names are never reused: choose another.";
                return Err(Fault::invalid_field("name", reason));
            }
            (AuditAction::CreateMember, json!({ "role": role.as_str() }))
        }
        MemberOperation::SetRole(role) => {
            let row = find(&members, name)?;
            if row.role == role.as_str() {
                return Ok(row.clone());
            }
            check_working(row)?;
            check_last_admin(&members, row, &change.by)?;
            store::set_role(connection, name, *role).await?;
            let details = json!({ "role": role.as_str(), "before": row.role });
            (AuditAction::SetRole, details)
        }
        MemberOperation::Revoke => {
            let row = find(&members, name)?;
            if row.revoked_at.is_some() {
                return Ok(row.clone());
            }
            check_last_admin(&members, row, &change.by)?;
            store::revoke(connection, name, now).await?;
            (AuditAction::RevokeMember, json!({ "role": row.role }))
        }
        MemberOperation::Renew(token) => {
            let row = find(&members, name)?;
            check_working(row)?;
            check_renewal(row, &change.by, now)?;
            store::set_token(connection, name, *token).await?;
            (AuditAction::RenewToken, json!({}))
        }
    };
    record(connection, change, action, details, now).await?;
    let changed = store::find_by_name(connection, name).await?;
    let changed = changed.ok_or_else(not_found)?;
    context.commit(Vec::new()).await?;
    Ok(changed)
}

/// Of two admins who revoke each other at once, only the first succeeds. A member may renew their own token in every role.
fn check_author(members: &[MemberRow], change: &MemberChange) -> Result<(), Fault> {
    let is_own = change.by.name == change.name;
    let may_renew = is_own && matches!(change.operation, MemberOperation::Renew(_));
    let is_author = |row: &MemberRow| row.name == change.by.name && row.revoked_at.is_none();
    let may = change.by.name == OPERATOR
        || members
            .iter()
            .any(|row| is_author(row) && (may_renew || is_admin(row)));
    if may {
        return Ok(());
    }
    Err(Fault::new(
        Code::InvalidKey,
        "Another admin has just revoked your token or changed your role.",
    ))
}

fn is_admin(row: &MemberRow) -> bool {
    row.role == Role::Admin.as_str() && row.revoked_at.is_none()
}

fn find<'a>(members: &'a [MemberRow], name: &str) -> Result<&'a MemberRow, Fault> {
    let mut members = members.iter();
    members.find(|row| row.name == name).ok_or_else(not_found)
}

fn not_found() -> Fault {
    Fault::not_found("There is no member with this name. `staff member list` lists all members.")
}

fn check_working(row: &MemberRow) -> Result<(), Fault> {
    if row.revoked_at.is_none() {
        return Ok(());
    }
    Err(Fault::invalid_field(
        "name",
        "This member is revoked: create a new member.",
    ))
}

fn check_last_admin(members: &[MemberRow], row: &MemberRow, by: &Member) -> Result<(), Fault> {
    let has_other = members
        .iter()
        .any(|other| other.name != row.name && is_admin(other));
    if has_other || by.name != row.name || !is_admin(row) {
        return Ok(());
    }
    Err(Fault::invalid_field(
        "name",
        "You are the last admin: make another member an admin first, or ask the operator.",
    ))
}

/// Whoever renews a token gets it and could act as that member, so only the member and the operator renew one that still works.
fn check_renewal(row: &MemberRow, by: &Member, now: OffsetDateTime) -> Result<(), Fault> {
    if by.name == row.name || by.name == OPERATOR || row.expires_at <= now {
        return Ok(());
    }
    Err(Fault::invalid_field(
        "name",
        "The token of this member still works: the member renews it by `staff login`. If it is lost, revoke the member, or ask the operator.",
    ))
}

async fn record(
    connection: &mut PgConnection,
    change: &MemberChange,
    action: AuditAction,
    details: Value,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let subject = Subject {
        entity: "member",
        name: change.name.clone(),
        details,
    };
    let member = change.by.clone();
    let done = AuthorizedAction { member, action };
    done.record(connection, SCHEMA, subject, now).await
}
