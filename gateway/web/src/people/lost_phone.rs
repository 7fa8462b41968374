//! A person who has lost phone and recovery codes.
//!
//! The password leads to a mail, its link tells the person and every owner of the person's
//! accounts, and a day later the second factor ends, unless somebody has stopped it. `jobs/factor_ends.rs` ends it.
//! Staff begin the same wait for a person whom these mails do not help (`service/staff.rs`).

use std::slice;

use axum::response::Response;
use pages::mails::MailText;
use pages::people::{ConfirmLinkPage, MailSentPage, NoticePage, PersonFormPage};
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use super::link_actions::{use_link, use_link_of};
use super::link_mail::{LinkMail, send_link};
use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::domain::link::Purpose;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::person_mail::{self, Reader};
use crate::person_request::PersonRequest;
use crate::render::{FormState, html, ok};
use crate::session::limits;
use crate::store::activity::{self, NewEntry};
use crate::store::factor_ends;
use crate::store::links::{self, Link, LinkTarget};
use crate::store::members::{self, OtherOwner};
use crate::store::people::{self, Person};

/// How long everybody who is told may stop it.
const WAIT: Duration = Duration::DAY;

/// Who requests that a second factor be turned off.
#[derive(Debug, Clone, Copy)]
pub enum Requester<'a> {
    /// The person, with the password and a link that was mailed.
    Person(&'a ClientInfo),
    /// Staff, to whom the person has written.
    Staff,
}

impl<'a> Requester<'a> {
    const fn client(self) -> Option<&'a ClientInfo> {
        match self {
            Self::Person(client) => Some(client),
            Self::Staff => None,
        }
    }

    const fn action(self) -> Action {
        match self {
            Self::Person(_) => Action::TotpEndAsked,
            Self::Staff => Action::TotpEndAskedByStaff,
        }
    }

    /// The mail to the person.
    const fn mail_to_person(self) -> &'static str {
        match self {
            Self::Person(_) => "factor-ends",
            Self::Staff => "factor-ends-by-staff",
        }
    }

    /// The mail to the other owners of the person's accounts.
    const fn mail_to_owners(self) -> &'static str {
        match self {
            Self::Person(_) => "factor-of-member-ends",
            Self::Staff => "factor-of-member-ends-by-staff",
        }
    }
}

/// The page of a person whose password was right.
pub async fn show(request: PersonRequest) -> PageResult {
    Ok(page(&request, FormState::default()))
}

/// Mails the link that begins the wait.
pub async fn send(request: PersonRequest) -> PageResult {
    let (app, person, language) = (&request.app, request.person(), request.language());
    let (now, network) = (app.clock.now(), request.client.network());
    for (limit, subject) in [
        (limits::MAILS_FROM, &network),
        (limits::MAILS_TO, &person.email),
    ] {
        if let Err(reached) = app.limits.count(limit, subject, now).await? {
            let fault = reached.too_many_in(language.language, "limit-mails");
            return Ok(page(&request, FormState::refused_here(&fault)));
        }
    }
    let mut transaction = app.pool.begin().await?;
    let mail = LinkMail {
        address: &person.email,
        target: LinkTarget::EndFactor { person: person.id },
        next: None,
        language: language.language,
        text: MailText::new("end-factor"),
    };
    send_link(&mut transaction, app, mail).await?;
    transaction.commit().await?;
    Ok(ok(&MailSentPage {
        shell: language.shell(),
        email: person.email.clone(),
        lifetime: Purpose::EndFactor.lifetime_key(),
        again: "/sign-in/lost-phone".to_owned(),
        mail_folder: app.mail_folder.clone(),
    }))
}

fn page(request: &PersonRequest, state: FormState) -> Response {
    let language = request.language();
    let FormState { status, errors } = state.in_language(language.language);
    let page = PersonFormPage {
        shell: language.shell(),
        heading: language.say("lost-title"),
        text: vec![
            language
                .texts()
                .say_of("lost-text", &request.person().email),
        ],
        action: "/sign-in/lost-phone",
        form: None,
        inputs: Vec::new(),
        button: language.say("lost-button"),
        is_dangerous: false,
        back: "/sign-in/code",
        errors,
    };
    html(status, &page)
}

/// The page of a link that ends the second factor of the person with this address, or stops that.
pub(super) fn link_page(
    language: PageLanguage,
    target: &LinkTarget,
    email: &str,
    action: String,
) -> ConfirmLinkPage {
    let (heading, text, button) = match target {
        LinkTarget::KeepFactor { .. } => ("stop-title", "stop-text", "stop-button"),
        _ => ("lost-link-title", "lost-link-text", "lost-link-button"),
    };
    ConfirmLinkPage {
        shell: language.shell(),
        heading: language.say(heading).to_owned(),
        text: language.texts().say_of(text, email),
        action,
        button: language.say(button),
    }
}

/// Runs the action of such a link.
pub(super) async fn follow_link(
    app: &Web,
    client: &ClientInfo,
    language: PageLanguage,
    link: &Link,
    person: &Person,
) -> PageResult {
    let mut transaction = app.pool.begin().await?;
    let (heading, text) = if matches!(link.target, LinkTarget::KeepFactor { .. }) {
        people::lock(&mut *transaction, person).await?;
        use_link(&mut transaction, app, link).await?;
        if !stop_in(&mut transaction, app, person, Some(client)).await? {
            return Err(PageError::link_gone());
        }
        let text = language.texts().say_of("stopped-text", &person.email);
        ("stopped-title", text)
    } else {
        use_link_of(&mut transaction, app, link, person).await?;
        if person.totp_secret.is_none() {
            return Err(PageError::link_gone());
        }
        let requester = Requester::Person(client);
        let ends_at = begin(&mut transaction, app, requester, person).await?;
        let at = language.texts().minute(ends_at);
        (
            "lost-begun-title",
            language.texts().say_of("lost-begun-text", &at),
        )
    };
    transaction.commit().await?;
    Ok(ok(&NoticePage {
        shell: language.shell(),
        heading: language.say(heading),
        text,
    }))
}

/// Begins the wait for a person with a second factor, and tells everybody who may stop it; returns its end. The caller has locked the
/// person.
pub(crate) async fn begin(
    connection: &mut PgConnection,
    app: &Web,
    requester: Requester<'_>,
    person: &Person,
) -> Result<OffsetDateTime, sqlx::Error> {
    let now = app.clock.now();
    let ends_at = now + WAIT;
    factor_ends::insert(&mut *connection, person, ends_at, requester.client()).await?;
    // An earlier wait has ended.
    links::remove_factor_keepers(&mut *connection, person.id).await?;
    let owners = members::other_owners(&mut *connection, person.id).await?;
    let own = OtherOwner {
        email: person.email.clone(),
        language: person.language(),
    };
    let all = [
        (requester.mail_to_person(), slice::from_ref(&own)),
        (requester.mail_to_owners(), owners.as_slice()),
    ];
    for (key, readers) in all {
        for reader in readers {
            let text = MailText::new(key)
                .with("email", person.email.as_str())
                .time("at", ends_at);
            let mail = LinkMail {
                address: &reader.email,
                target: LinkTarget::KeepFactor { person: person.id },
                next: None,
                language: reader.language,
                text,
            };
            send_link(connection, app, mail).await?;
        }
    }
    let (client, action) = (requester.client(), requester.action());
    let entry = NewEntry::new(person.id, &person.email, client, action);
    activity::insert(connection, entry, now).await?;
    Ok(ends_at)
}

/// Stops the end of a person's second factor, if there is one.
pub(super) async fn stop(
    app: &Web,
    person: &Person,
    client: &ClientInfo,
) -> Result<(), sqlx::Error> {
    if !factor_ends::exists(&app.pool, person.id).await? {
        return Ok(());
    }
    let mut transaction = app.pool.begin().await?;
    people::lock(&mut *transaction, person).await?;
    stop_in(&mut transaction, app, person, Some(client)).await?;
    transaction.commit().await
}

/// The same in a transaction; without a client, staff stop it. False if there is nothing to stop. The caller has locked the person.
pub(crate) async fn stop_in(
    connection: &mut PgConnection,
    app: &Web,
    person: &Person,
    client: Option<&ClientInfo>,
) -> Result<bool, sqlx::Error> {
    if !factor_ends::remove(&mut *connection, person.id).await? {
        return Ok(false);
    }
    let now = app.clock.now();
    links::remove_factor_keepers(&mut *connection, person.id).await?;
    let text = MailText::new("factor-stays");
    person_mail::queue(&mut *connection, Reader::of(person), &text, now).await?;
    let entry = NewEntry::new(person.id, &person.email, client, Action::TotpEndStopped);
    activity::insert(connection, entry, now).await?;
    Ok(true)
}
