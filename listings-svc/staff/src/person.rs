//! `staff person …`: people who sign in to the dashboard

use clap::Subcommand;
use contracts::web::v1 as proto;
use contracts::web::v1::staff_service_client::StaffServiceClient;

use crate::confirm::Confirmation;
use crate::error::Error;
use crate::fleet::Fleet;
use crate::output::{self, Output};
use crate::table::Column;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show whether a person has a second factor, and how many others own the person's accounts
    Show {
        /// The e-mail address with which the person signs in
        email: String,
    },
    /// End the second factor of a person who has lost phone and recovery codes
    ///
    /// Be sure that it is this person: from now on the password alone signs in. All sessions of the person end. The person and every other
    /// owner of the person's accounts get an e-mail.
    EndSecondFactor {
        /// The e-mail address with which the person signs in
        email: String,
        /// The reason for the audit, such as how you know that it is this person
        #[arg(long)]
        reason: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
}

const COLUMNS: &[Column<proto::Person>] = &[
    ("id", |it| it.id.clone()),
    ("e-mail", |it| it.email.clone()),
    ("second factor", |it| output::yes_no(it.has_second_factor)),
    ("other owners", |it| it.other_owners.to_string()),
];

pub(crate) async fn run(command: Command, fleet: &Fleet, output: Output) -> Result<(), Error> {
    let mut web = StaffServiceClient::new(fleet.web().await?);
    let person = match command {
        Command::Show { email } => {
            let response = web.get_person(proto::GetPersonRequest { email }).await?;
            response.into_inner().person
        }
        Command::EndSecondFactor {
            email,
            reason,
            confirmation,
        } => {
            let question =
                format!("End the second factor of {email}? The password alone then signs in.");
            confirmation.ask(&question).await?;
            let request = proto::EndSecondFactorRequest { email, reason };
            let response = web.end_second_factor(request).await?;
            response.into_inner().person
        }
    };
    output.row("person", &person.unwrap_or_default(), COLUMNS)
}
