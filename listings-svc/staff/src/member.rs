//! `staff member …` and `staff whoami`

use clap::{Subcommand, ValueEnum};
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_member_service_client::StaffMemberServiceClient;

use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::Column;

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
#[repr(i32)]
pub(crate) enum Role {
    /// Reads everything; reviews and edits listings, decides on claims, key requests and held reports
    Reviewer = proto::Role::Reviewer as i32,
    /// May do everything
    Admin = proto::Role::Admin as i32,
}

const COLUMNS: &[Column<proto::Member>] = &[
    ("name", |it| it.name.clone()),
    ("role", |it| output::name_of(it.role())),
    ("created", |it| output::format_time(it.created_at)),
    ("by", |it| it.created_by.clone()),
    ("expires", |it| output::format_time(it.expires_at)),
    ("revoked", |it| output::format_time(it.revoked_at)),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut members = StaffMemberServiceClient::new(fleet.listings().await?);
    let (member, token) = match command {
        Command::List => {
            let response = members.list_members(proto::ListMembersRequest {}).await?;
            return output.rows("members", &response.into_inner().members, COLUMNS);
        }
        Command::Add { name, role } => {
            let role = role as i32;
            let request = proto::CreateMemberRequest { name, role };
            let response = members.create_member(request).await?.into_inner();
            (response.member, Some(response.token))
        }
        Command::SetRole { name, role } => {
            let role = role as i32;
            let response = members.set_role(proto::SetRoleRequest { name, role });
            (response.await?.into_inner().member, None)
        }
        Command::Renew { name, confirmation } => {
            let question = format!(
                "Replace the token of {name}? The present one stops working within a second."
            );
            confirmation.ask(&question).await?;
            let response = members.renew_token(proto::RenewTokenRequest { name });
            let response = response.await?.into_inner();
            (response.member, Some(response.token))
        }
        Command::Revoke { name, confirmation } => {
            let question = format!(
                "Revoke the token of {name}? It is refused within a second, and the name is never used again."
            );
            confirmation.ask(&question).await?;
            let response = members.revoke_member(proto::RevokeMemberRequest { name });
            (response.await?.into_inner().member, None)
        }
    };
    output.row_with_token("member", &member.unwrap_or_default(), token, COLUMNS)
}

/// Prints the member that the token belongs to, and the role.
pub(crate) async fn whoami(fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut members = StaffMemberServiceClient::new(fleet.listings().await?);
    let response = members.who_am_i(proto::WhoAmIRequest {}).await?;
    let response = response.into_inner();
    let expiry = response.expires_at.map_or_else(String::new, |at| {
        let at = output::format_time(Some(at));
        format!(", the token expires on {at}")
    });
    let line = format!(
        "{} ({}){expiry}",
        response.name,
        output::name_of(response.role())
    );
    output.line(&response, &line)
}
