//! The settings of mails.

use std::path::PathBuf;
use std::time::Duration;

use kit::config::{Profile, a_second_or_more};
use lettre::message::Mailbox;

use super::transport::Transport;
use crate::domain::email;

/// The settings of mails.
#[derive(Debug, Clone, clap::Args)]
// clap would name the group after the type, as it does with those of services.
#[group(skip)]
pub struct Settings {
    /// Transport of mails: `smtps://user:password@host`, or `file:/folder` in the local profile
    #[arg(long, hide_env_values = true)]
    pub mail: Transport,
    /// A PEM file with certificate authorities to trust for the mail server, in addition to the public ones
    #[arg(long)]
    pub mail_ca: Option<PathBuf>,
    /// Seconds that the mail server may take to connect, and then for one mail, of which the first attempt has 10 at most
    #[arg(long, default_value = "60", value_parser = a_second_or_more)]
    pub mail_deadline: Duration,
    /// Sender of mails; outside the local profile, an address of a domain of yours
    #[arg(long, default_value = "Mchezo <no-reply@mchezo.example>", value_parser = sender)]
    pub mail_sender: Mailbox,
}

impl Settings {
    /// What keeps mails from being sent safely in this profile. `site` is the host of the site: a
    /// trial at `localhost` has no domain for its sender.
    pub fn problems(&self, profile: Profile, site: &str) -> Vec<String> {
        if profile == Profile::Local {
            return Vec::new();
        }
        let transport = match &self.mail {
            Transport::Folder(_) => Some("`mail` must be a mail server outside the local profile"),
            Transport::Smtp(relay) => relay.exposes_password().then_some(
                "`mail` would send its password without TLS: write smtps://user:password@host, or smtp://user:password@host:587?tls=required",
            ),
        };
        let domain = self.mail_sender.email.domain();
        let is_trial = (domain, site) == ("localhost", "localhost");
        let sender = (is_of_nobody(domain) && !is_trial).then_some(
            "`mail_sender` must be an email address of a domain of yours: no mail server accepts a sender at localhost, or in .example, .invalid, .localhost or .test",
        );
        let problems = transport.into_iter().chain(sender);
        problems.map(ToOwned::to_owned).collect()
    }
}

/// Whether a domain is reserved, so that nobody can own it (RFC 2606 and RFC 6761).
fn is_of_nobody(domain: &str) -> bool {
    let domain = domain.to_ascii_lowercase();
    let last = domain.rsplit('.').next().unwrap_or_default();
    ["example", "invalid", "localhost", "test"].contains(&last)
}

/// Parses a sender of mails. On one machine, a trial has no domain.
fn sender(text: &str) -> Result<Mailbox, String> {
    let parsed = text.parse::<Mailbox>().ok();
    match parsed.filter(|sender| sender.email.domain() == "localhost") {
        Some(sender) => Ok(sender),
        None => mailbox(text),
    }
}

/// Parses an address to which mails can be sent, with or without a name.
pub fn mailbox(text: &str) -> Result<Mailbox, String> {
    let parse = || {
        let mailbox: Mailbox = text.parse().ok()?;
        let address = email::parse(mailbox.email.as_ref()).ok()?;
        Some(Mailbox::new(mailbox.name, address.parse().ok()?))
    };
    parse().ok_or_else(|| "write `Name <address@domain>`, what is before the @ in ASCII".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn production_sends_no_password_in_clear_and_has_a_sender_that_exists() {
        let problems = |profile, mail: &str, from: &str| {
            let settings = Settings {
                mail: mail.parse().unwrap(),
                mail_ca: None,
                mail_deadline: Duration::from_mins(1),
                mail_sender: sender(from).unwrap(),
            };
            settings.problems(profile, "mchezo.africa").len()
        };
        let ours = "Mchezo <no-reply@mchezo.africa>";
        let good = [
            "smtps://user:password@host",
            "smtp://user:password@host:587?tls=required",
            "smtp://relay:25",
        ];
        let bad = [
            "file:/folder",
            "smtp://user:password@host",
            "SMTP://user:password@host:587?tls=opportunistic",
        ];
        for mail in good {
            assert_eq!(problems(Profile::Production, mail, ours), 0, "{mail}");
        }
        for mail in bad {
            assert_eq!(problems(Profile::Production, mail, ours), 1, "{mail}");
        }
        for from in [
            "no-reply@mchezo.example",
            "a <b@c.Mchezo.EXAMPLE>",
            "no-reply@localhost",
            "no-reply@mchezo.localhost",
            "no-reply@mchezo.test",
            "no-reply@mchezo.invalid",
        ] {
            let mail = "smtps://user:password@host";
            assert_eq!(problems(Profile::Production, mail, from), 1, "{from}");
            assert_eq!(problems(Profile::Local, bad[1], from), 0, "{from}");
        }
        let trial = Settings {
            mail: good[2].parse().unwrap(),
            mail_ca: None,
            mail_deadline: Duration::from_mins(1),
            mail_sender: sender("no-reply@localhost").unwrap(),
        };
        assert_eq!(trial.problems(Profile::Production, "localhost"), Vec::<String>::new());
        for from in ["", "mchezo", "Mchezo <no-replý@mchezo.africa>"] {
            mailbox(from).unwrap_err();
        }
        // No mail reaches anybody there.
        mailbox("staff@localhost").unwrap_err();
        for address in ["[127.0.0.1]", "[IPv6:::1]", "127.0.0.1"] {
            sender(&format!("no-reply@{address}")).unwrap_err();
        }
        let sender = mailbox("Mchezo <no-reply@mchezo.áfrica>").unwrap();
        assert_eq!(sender.email.domain(), "mchezo.xn--frica-wqa");
    }
}
