//! Mails with links.

use kit::ids;
use kit::network::Network;
use pages::mails::MailText;
use pages::people::{MailLinkPage, MailSentPage};
use pages::{Field, Fields, Language, Texts};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::Web;
use crate::client_info::ClientInfo;
use crate::domain::action::Action;
use crate::domain::email;
use crate::domain::link::Purpose;
use crate::domain::next_page;
use crate::domain::percent::encoded;
use crate::mail;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::person_mail::{self, Reader};
use crate::render::{self, FormState};
use crate::request::PersonRequest;
use crate::store::links::{self, LinkTarget};
use crate::store::people::{self, Person};

/// The purpose of a link that a visitor asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedLink<'a> {
    SignUp {
        /// The page to return to.
        next: Option<&'a str>,
    },
    Reset,
}

impl AskedLink<'_> {
    /// The form that asks for the link, in the language of the page.
    pub(super) fn form(
        self,
        app: &Web,
        language: PageLanguage,
        typed: &str,
        errors: Fields,
    ) -> MailLinkPage {
        let errors = errors.in_language(language.language);
        let (path, next) = match self {
            Self::SignUp { next } => (next_page::sign_up(next), next),
            Self::Reset => ("/reset".to_owned(), None),
        };
        let email = Field::email("email", language.say("email-label"));
        MailLinkPage {
            frame: language.frame_at(path),
            is_sign_up: self != Self::Reset,
            email: email.value(typed).error_in(&errors),
            next: next.unwrap_or_default().to_owned(),
            mail_folder: app.mail_folder.clone(),
            errors,
        }
    }
}

/// Mails a link to this address: to set a password if a person has it, to sign up otherwise. If the address is refused, the answer is the form.
///
/// Both cases have the same response and run the same statements, so neither the response nor its time shows whether the person exists.
pub async fn send(
    app: &Web,
    client: &ClientInfo,
    language: PageLanguage,
    address: &str,
    wanted: AskedLink<'_>,
) -> PageResult {
    let refused = |FormState { status, errors }| {
        Ok(render::html(status, &wanted.form(app, language, address, errors)))
    };
    let Ok(address) = email::parse(address) else {
        let errors = Fields::one("email", language.say("email-invalid"));
        return refused(FormState::invalid(errors));
    };
    let now = app.clock.now();
    let again = match wanted {
        AskedLink::SignUp { next } => next_page::sign_up(next),
        AskedLink::Reset => "/reset".to_owned(),
    };
    let person = people::by_email(&app.pool, &address).await?;
    let target = match &person {
        Some(person) => LinkTarget::Reset { person: person.id },
        None => LinkTarget::SignUp,
    };
    let to = (address.as_str(), person.as_ref().map(|person| person.id));
    let requested = app.admission.requested_mail(client, target.purpose(), to, now).await?;
    // Otherwise show no error, since the address may belong to somebody else.
    if requested.is_due {
        let mail = LinkMail {
            id: ids::row_id(),
            address: &address,
            target,
            requested_from: requested.counted_from,
            next: match wanted {
                AskedLink::SignUp { next } => next,
                AskedLink::Reset => None,
            },
            // The reader may not be the person who typed the address.
            language: person.as_ref().map_or(language.language, Person::language),
            text: MailText::new(match (wanted, &person) {
                (AskedLink::SignUp { .. }, None) => "sign-up",
                (AskedLink::SignUp { .. }, Some(_)) => "sign-up-exists",
                (AskedLink::Reset, Some(_)) => "reset",
                (AskedLink::Reset, None) => "reset-nobody",
            }),
        };
        let mut transaction = kit::pg::begin(&app.pool).await?;
        send_link(&mut transaction, app, mail).await?;
        if requested.network.is_ok() || person.is_some() {
            transaction.commit().await?;
        } else {
            // Beyond the limit of the network only people get a mail, and nobody can tell: this has done the same work.
            transaction.rollback().await?;
        }
    }
    Ok(render::ok(&MailSentPage {
        frame: language.frame(),
        email: address,
        // That of the shorter one of both links.
        lifetime: Purpose::Reset.lifetime_key(),
        again: language.path(&again),
        // The same for everybody.
        people_only: requested.network.err().map(|reached| {
            language.texts().count("mail-sent-people-only", reached.minutes().into())
        }),
        mail_folder: app.mail_folder.clone(),
    }))
}

/// A link to mail.
#[derive(Debug)]
pub struct LinkMail<'a> {
    pub id: Uuid,
    pub address: &'a str,
    pub target: LinkTarget,
    /// The network of the visitor who requests the mail, if its limit counts the mail.
    pub requested_from: Option<Network>,
    /// The page to return to.
    pub next: Option<&'a str>,
    pub language: Language,
    /// What the link is for, before the link.
    pub text: MailText<'a>,
}

/// The path of a link, with the page to redirect to afterwards, if any.
pub(super) fn link_path(token: &str, next: Option<&str>) -> String {
    match next {
        Some(next) => {
            let next = encoded(next);
            format!("/link/{token}?next={next}")
        }
        None => format!("/link/{token}"),
    }
}

/// Stores a link and queues its mail; returns when the link ends.
pub async fn send_link(
    connection: &mut PgConnection,
    app: &Web,
    link: LinkMail<'_>,
) -> Result<OffsetDateTime, sqlx::Error> {
    let now = app.clock.now();
    let inserted = links::insert(
        &mut *connection,
        link.id,
        link.address,
        &link.target,
        link.requested_from,
        now,
    )
    .await?;
    let texts = Texts::of(link.language);
    // The address without a language stands for English.
    let prefix = match link.language {
        Language::English => "",
        language @ Language::French => language.prefix(),
    };
    let path = link_path(&inserted.token.text(), link.next);
    let lifetime = texts.say(link.target.purpose().lifetime_key());
    let mut written = link
        .text
        .write(link.language)
        .and_paragraph(&format!("{}{prefix}{path}", app.public_url))
        .and_paragraph(&texts.say_of("mail-link-foot", lifetime));
    if matches!(link.target, LinkTarget::SignUp) {
        // The reader may not know us yet.
        written = written.and_paragraph(texts.say("mail-signature"));
    }
    let message = person_mail::message(link.address, &written);
    let sent_link = mail::Link { id: inserted.id, lifetime: link.target.purpose().lifetime() };
    mail::insert(connection, message, Some(sent_link), now).await?;
    Ok(inserted.expires_at)
}

/// Records a change of how a person signs in, in the transaction of the change, and tells the person by mail.
pub(super) async fn record_and_inform(
    request: &PersonRequest,
    connection: &mut PgConnection,
    action: Action,
    text: &MailText<'_>,
) -> Result<(), sqlx::Error> {
    let (reader, now) = (Reader::from_person(request.person()), request.app.clock.now());
    person_mail::queue(&mut *connection, reader, text, now).await?;
    request.record_own(connection, action).await
}
