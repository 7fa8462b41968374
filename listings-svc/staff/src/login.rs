//! `staff login`: replaces the token of a member by a new one, and keeps it in the member's profile.

use std::fs;
use std::io::{self, Write as _};

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_member_service_client::StaffMemberServiceClient;

use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::profile;

pub(crate) async fn run(fleet: &Fleet, output: Output) -> Result<(), Error> {
    let path = fleet.profile()?;
    let mut members = StaffMemberServiceClient::new(fleet.listings().await?);
    let unwritable = |error: io::Error| {
        Error::usage(format!(
            "nothing was changed: {} cannot be written: {error}",
            path.display()
        ))
    };
    let text = fs::read_to_string(path).map_err(unwritable)?;
    // Before the old token stops: a token that cannot be kept would be lost.
    let mut file = profile::file_beside(path).map_err(unwritable)?;
    let name = String::new();
    let response = members.renew_token(proto::RenewTokenRequest { name });
    let response = response.await?.into_inner();
    let text = profile::with_token(&text, &response.token);
    let kept = file.write_all(text.as_bytes());
    let kept = kept.and_then(|()| file.persist(path).map_err(|error| error.error));
    if let Err(error) = kept {
        output.print(&format!("The token, shown only now: {}", response.token));
        return Err(Error::usage(format!(
            "the token was renewed, and {} cannot be written: {error}. Put the token into that file yourself",
            path.display()
        )));
    }
    let member = response.member.unwrap_or_default();
    let line = format!(
        "{}: the new token is in {} and expires on {}",
        member.name,
        path.display(),
        output::format_time(member.expires_at)
    );
    let document = serde_json::json!({
        "name": member.name,
        "profile": path.display().to_string(),
        "expires_at": serde_json::json!(member)["expires_at"],
    });
    output.line(&document, &line)
}
