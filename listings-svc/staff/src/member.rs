//! `staff member …` and `staff whoami`

use clap::{Subcommand, ValueEnum};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_member_service_client::StaffMemberServiceClient;
use contracts::public::Timestamp;
use serde::Serialize;

use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::table;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add a member of staff; the token is shown once
    Add {
        /// Small letters, digits and hyphens; a name is never used again
        name: String,
        #[arg(long, default_value = "reviewer")]
        role: Role,
    },
    /// List all members
    List,
    /// Give a member another role
    SetRole {
        /// The name of the member
        name: String,
        role: Role,
    },
    /// Replace the token of a member by a new one, which is shown once; the old one stops working
    Renew {
        /// The name of the member
        name: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
    /// Revoke the token of a member
    Revoke {
        /// The name of the member
        name: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Role {
    /// Reads everything; reviews and edits listings, decides on claims, key requests and held reports
    Reviewer,
    /// May do everything
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
    expires_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// The name of a role; empty when it is unspecified.
const fn role_name(role: proto::Role) -> &'static str {
    match role {
        proto::Role::Unspecified => "",
        proto::Role::Reviewer => "reviewer",
        proto::Role::Admin => "admin",
    }
}

impl From<proto::Member> for Member {
    fn from(member: proto::Member) -> Self {
        Self {
            role: role_name(member.role()),
            name: member.name,
            created_at: output::timestamp(member.created_at),
            created_by: member.created_by,
            revoked_at: output::timestamp(member.revoked_at),
            expires_at: output::timestamp(member.expires_at),
            token: None,
        }
    }
}

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut members = StaffMemberServiceClient::new(fleet.listings().await?);
    let member = match command {
        Command::List => {
            let response = members.list_members(proto::ListMembersRequest {}).await?;
            let members = response.into_inner().members;
            let members: Vec<Member> = members.into_iter().map(Member::from).collect();
            let document = serde_json::json!({ "members": members });
            return output.answer(&document, || member_table(&members));
        }
        Command::Add { name, role } => {
            let role = proto::Role::from(role).into();
            let request = proto::CreateMemberRequest { name, role };
            let response = members.create_member(request).await?.into_inner();
            let mut member = Member::from(response.member.unwrap_or_default());
            member.token = Some(response.token);
            member
        }
        Command::SetRole { name, role } => {
            let role = proto::Role::from(role).into();
            let response = members.set_role(proto::SetRoleRequest { name, role });
            response
                .await?
                .into_inner()
                .member
                .unwrap_or_default()
                .into()
        }
        Command::Renew { name, confirmation } => {
            let question = format!(
                "Replace the token of {name}? The present one stops working within a second."
            );
            confirmation.ask(&question).await?;
            let response = members.renew_token(proto::RenewTokenRequest { name });
            let response = response.await?.into_inner();
            let mut member = Member::from(response.member.unwrap_or_default());
            member.token = Some(response.token);
            member
        }
        Command::Revoke { name, confirmation } => {
            let question = format!(
                "Revoke the token of {name}? It is refused within a second, and the name is never used again."
            );
            confirmation.ask(&question).await?;
            let response = members.revoke_member(proto::RevokeMemberRequest { name });
            response
                .await?
                .into_inner()
                .member
                .unwrap_or_default()
                .into()
        }
    };
    let document = serde_json::json!({ "member": member });
    output.answer(&document, || member_table(std::slice::from_ref(&member)))?;
    if let Some(token) = &member.token {
        output.print(&format!("The token, shown only now: {token}"));
    }
    Ok(())
}

/// Prints the member that the token belongs to, and the role.
pub(crate) async fn whoami(fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut members = StaffMemberServiceClient::new(fleet.listings().await?);
    let response = members.who_am_i(proto::WhoAmIRequest {}).await?;
    let response = response.into_inner();
    let role = role_name(response.role());
    let expires_at = output::timestamp(response.expires_at);
    let name = response.name;
    let expiry = expires_at.as_ref().map_or_else(String::new, |_| {
        let at = output::format_time(expires_at.as_ref());
        format!(", the token expires on {at}")
    });
    let line = format!("{name} ({role}){expiry}");
    let document = serde_json::json!({ "name": name, "role": role, "expires_at": expires_at });
    output.line(&document, &line)
}

fn member_table(members: &[Member]) -> comfy_table::Table {
    let rows = members.iter().map(|member| {
        [
            member.name.clone(),
            member.role.to_owned(),
            output::format_time(member.created_at.as_ref()),
            member.created_by.clone(),
            output::format_time(member.expires_at.as_ref()),
            output::format_time(member.revoked_at.as_ref()),
        ]
    });
    table(
        ["name", "role", "created", "by", "expires", "revoked"],
        rows,
    )
}
