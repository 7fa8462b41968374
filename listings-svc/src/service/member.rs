//! Members of the staff (`listings/v1/staff_member.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_member_service_server::StaffMemberService;
use kit::bad_fields::BadFields;
use kit::rpc::directory::{TOKEN_PREFIX, token_hash};
use kit::rpc::staff::{Member, OPERATOR, Role};
use kit::{Fault, ids, timestamp};
use tonic::{Request, Response, Status};

use super::Service;
use crate::domain::audit_action::AuditAction;
use crate::domain::field_reader::parse_slug;
use crate::store::members::{self as store, MemberRow, NewToken};
use crate::write::members::{self, MemberChange, MemberOperation};

const MAX_NAME: usize = 60;

impl Service {
    /// Returns the member after the change.
    async fn change_member(
        &self,
        by: Member,
        name: String,
        operation: MemberOperation,
    ) -> Result<Option<proto::Member>, Fault> {
        let change = MemberChange {
            by,
            name,
            operation,
        };
        let row = members::apply(&self.commands, &change).await?;
        self.members.clear_cache();
        Ok(Some(message(row)))
    }

    /// A new token, and what is stored of it.
    fn new_token(&self) -> (String, NewToken) {
        let token = ids::secret(TOKEN_PREFIX);
        let hash = token_hash(&token);
        let expires_at = self.clock.now() + self.token_lifetime;
        (token, NewToken { hash, expires_at })
    }
}

#[tonic::async_trait]
impl StaffMemberService for Service {
    async fn create_member(
        &self,
        request: Request<proto::CreateMemberRequest>,
    ) -> Result<Response<proto::CreateMemberResponse>, Status> {
        let on = ("member", request.get_ref().name.as_str());
        let action = AuditAction::CreateMember;
        let by = self.audit.admit(&request, action, on).await?.member;
        let request = request.into_inner();
        let mut bad = BadFields::default();
        let role = read_role(request.role(), &mut bad);
        if let Err(reason) = check_name(&request.name) {
            bad.add("name", reason);
        }
        let role = bad.finish(role)?;
        let (token, stored) = self.new_token();
        let operation = MemberOperation::Create(role, stored);
        let member = self.change_member(by, request.name, operation).await?;
        Ok(Response::new(proto::CreateMemberResponse { member, token }))
    }

    async fn list_members(
        &self,
        request: Request<proto::ListMembersRequest>,
    ) -> Result<Response<proto::ListMembersResponse>, Status> {
        self.audit
            .admit(&request, AuditAction::ListMembers, ("member", ""))
            .await?;
        let rows = store::list(&self.pool).await.map_err(Fault::from)?;
        Ok(Response::new(proto::ListMembersResponse {
            members: rows.into_iter().map(message).collect(),
        }))
    }

    async fn set_role(
        &self,
        request: Request<proto::SetRoleRequest>,
    ) -> Result<Response<proto::SetRoleResponse>, Status> {
        let on = ("member", request.get_ref().name.as_str());
        let action = AuditAction::SetRole;
        let by = self.audit.admit(&request, action, on).await?.member;
        let request = request.into_inner();
        let mut bad = BadFields::default();
        let role = read_role(request.role(), &mut bad);
        let role = bad.finish(role)?;
        let operation = MemberOperation::SetRole(role);
        let member = self.change_member(by, request.name, operation).await?;
        Ok(Response::new(proto::SetRoleResponse { member }))
    }

    async fn revoke_member(
        &self,
        request: Request<proto::RevokeMemberRequest>,
    ) -> Result<Response<proto::RevokeMemberResponse>, Status> {
        let on = ("member", request.get_ref().name.as_str());
        let action = AuditAction::RevokeMember;
        let by = self.audit.admit(&request, action, on).await?.member;
        let name = request.into_inner().name;
        let member = self
            .change_member(by, name, MemberOperation::Revoke)
            .await?;
        Ok(Response::new(proto::RevokeMemberResponse { member }))
    }

    async fn renew_token(
        &self,
        request: Request<proto::RenewTokenRequest>,
    ) -> Result<Response<proto::RenewTokenResponse>, Status> {
        let by = Member::of(&request)?;
        let name = request.into_inner().name;
        let name = if name.is_empty() {
            by.name.clone()
        } else {
            name
        };
        if name == OPERATOR {
            let reason = "The staff token of the fleet does not expire: its operator sets it.";
            return Err(Fault::invalid_field("name", reason).into());
        }
        if name != by.name {
            let action = AuditAction::RenewToken;
            self.audit.allow(&by, action, ("member", &name)).await?;
        }
        let (token, stored) = self.new_token();
        let operation = MemberOperation::Renew(stored);
        let member = self.change_member(by, name, operation).await?;
        Ok(Response::new(proto::RenewTokenResponse { member, token }))
    }

    async fn who_am_i(
        &self,
        request: Request<proto::WhoAmIRequest>,
    ) -> Result<Response<proto::WhoAmIResponse>, Status> {
        let member = Member::of(&request)?;
        let row = store::find_by_name(&self.pool, &member.name).await;
        let expires_at = row.map_err(Fault::from)?.map(|row| row.expires_at);
        Ok(Response::new(proto::WhoAmIResponse {
            name: member.name,
            role: role_message(member.role).into(),
            expires_at: expires_at.map(timestamp::encode),
        }))
    }
}

fn check_name(raw: &str) -> Result<(), String> {
    parse_slug(raw)?;
    if raw == OPERATOR {
        return Err("This name is reserved for the holder of the fleet's staff token.".to_owned());
    }
    if raw.len() > MAX_NAME {
        return Err(format!("Shorten it to at most {MAX_NAME} characters."));
    }
    Ok(())
}

fn read_role(role: proto::Role, bad: &mut BadFields) -> Option<Role> {
    let role = match role {
        proto::Role::Reviewer => Ok(Role::Reviewer),
        proto::Role::Admin => Ok(Role::Admin),
        proto::Role::Unspecified => Err("Give reviewer or admin."),
    };
    bad.read("role", role)
}

pub(super) const fn role_message(role: Role) -> proto::Role {
    match role {
        Role::Reviewer => proto::Role::Reviewer,
        Role::Admin => proto::Role::Admin,
    }
}

fn message(row: MemberRow) -> proto::Member {
    let role = row.role.parse();
    let role = role.map_or(proto::Role::Unspecified, role_message);
    proto::Member {
        name: row.name,
        role: role.into(),
        created_at: Some(timestamp::encode(row.created_at)),
        created_by: row.created_by,
        revoked_at: row.revoked_at.map(timestamp::encode),
        expires_at: Some(timestamp::encode(row.expires_at)),
    }
}
