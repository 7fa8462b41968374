//! `staff member …`

use clap::{Subcommand, ValueEnum};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_member_service_client::StaffMemberServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use super::fleet::Fleet;
use super::output::{self, Output};
use super::problem::Problem;
use super::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a member of the staff; the token is shown once
    Add {
        /// Small letters, digits and hyphens; never given a second time
        name: String,
        /// What the member may do
        #[arg(long, default_value = "reviewer")]
        role: Role,
    },
    /// List all members
    List,
    /// Give a member another role
    Role {
        /// Of the member
        name: String,
        /// What the member may do from now on
        role: Role,
    },
    /// End a member's token
    Revoke {
        /// Of the member
        name: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Role {
    /// Looks, approves, rejects and edits
    Reviewer,
    /// Everything
    Admin,
}

impl From<Role> for proto::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Reviewer => Self::Reviewer,
            Role::Admin => Self::Admin,
        }
    }
}

#[derive(Debug, Serialize)]
struct Member {
    name: String,
    role: &'static str,
    created_at: Option<Timestamp>,
    created_by: String,
    revoked_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl From<proto::Member> for Member {
    fn from(member: proto::Member) -> Self {
        Self {
            role: match member.role() {
                proto::Role::Unspecified => "",
                proto::Role::Reviewer => "reviewer",
                proto::Role::Admin => "admin",
            },
            name: member.name,
            created_at: output::moment(member.created_at),
            created_by: member.created_by,
            revoked_at: output::moment(member.revoked_at),
            token: None,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Problem> {
    let mut members = StaffMemberServiceClient::new(fleet.listings().await?);
    let member = match command {
        Command::List => {
            let answer = members.list_members(proto::ListMembersRequest {}).await?;
            let members = answer.into_inner().members;
            let members: Vec<Member> = members.into_iter().map(Member::from).collect();
            let document = serde_json::json!({ "members": members });
            return output.answer(&document, || listed(&members));
        }
        Command::Add { name, role } => {
            let role = proto::Role::from(role).into();
            let request = proto::CreateMemberRequest { name, role };
            let answer = members.create_member(request).await?.into_inner();
            let mut member = Member::from(answer.member.unwrap_or_default());
            member.token = Some(answer.token);
            member
        }
        Command::Role { name, role } => {
            let role = proto::Role::from(role).into();
            let answer = members.set_role(proto::SetRoleRequest { name, role });
            answer.await?.into_inner().member.unwrap_or_default().into()
        }
        Command::Revoke { name } => {
            let answer = members.revoke_member(proto::RevokeMemberRequest { name });
            answer.await?.into_inner().member.unwrap_or_default().into()
        }
    };
    let document = serde_json::json!({ "member": member });
    output.answer(&document, || listed(std::slice::from_ref(&member)))?;
    if let Some(token) = &member.token {
        output.say(&format!("token, shown this once: {token}"));
    }
    Ok(())
}

fn listed(members: &[Member]) -> comfy_table::Table {
    let rows = members.iter().map(|member| {
        [
            member.name.clone(),
            member.role.to_owned(),
            output::shown(member.created_at.as_ref()),
            member.created_by.clone(),
            output::shown(member.revoked_at.as_ref()),
        ]
    });
    table(["name", "role", "made", "by", "revoked"], rows)
}
