//! One key: rotation and revocation.

use axum::extract::Path;
use contracts::gateway::v1 as proto;
use kit::Code;
use pages::input::{Choice, Select};
use pages::keys::{KeyPage, LastCall, RotationFields};
use pages::{Field, Fields, when};
use prost_types::Timestamp;
use serde::Deserialize;
use uuid::Uuid;

use super::create::last_day;
use super::words::refusal;
use super::{ShownSecret, row};
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::once_form::OnceForm;
use crate::page_error::{PageError, PageResult};
use crate::page_language::PageLanguage;
use crate::render::{FormState, html, ok, see_other};
use crate::session::once;
use crate::upstream::{minute_of, time_of};
use crate::viewer::Section;

/// The heading of a rotated key: the key of a text.
const HEADING: &str = "key-secret-new";

/// Grace periods to choose from, in seconds, with the keys of their texts. The page shows those that the gateway allows.
const GRACES: [(u32, &str); 6] = [
    (0, "key-grace-none"),
    (3_600, "key-grace-hour"),
    (21_600, "key-grace-6-hours"),
    (86_400, "key-grace-day"),
    (259_200, "key-grace-3-days"),
    (604_800, "key-grace-week"),
];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RotateForm {
    grace: String,
    /// The last day of the new key. Empty: it expires when the old one does.
    expires: String,
}

impl RotateForm {
    /// The grace period in seconds, and the expiry of the new key.
    fn parse(&self, language: PageLanguage) -> Result<(u32, Option<Timestamp>), Fields> {
        match (self.grace.parse(), last_day(language, &self.expires)) {
            (Ok(grace), Ok(expires_at)) => Ok((grace, expires_at)),
            (grace, expires_at) => {
                let mut errors = expires_at.err().unwrap_or_default();
                if grace.is_err() {
                    errors.add("grace", language.say("key-grace-invalid"));
                }
                Err(errors)
            }
        }
    }
}

pub async fn show(request: MemberRequest, Path((_, key)): Path<(Uuid, String)>) -> PageResult {
    page(&request, &key, &RotateForm::default(), FormState::default()).await
}

pub async fn rotate(
    request: MemberRequest,
    Path((_, key)): Path<(Uuid, String)>,
    OnceForm(form, sent): OnceForm<RotateForm>,
) -> PageResult {
    let language = request.language();
    let (grace, expires_at) = match form.parse(language) {
        Ok(parsed) => parsed,
        Err(errors) => return page(&request, &key, &form, FormState::invalid(errors)).await,
    };
    let work = async {
        let (gateway, actor) = (&request.app.gateway, request.actor());
        let rotated = gateway.rotate_key(&actor, request.scope.id, &key, grace, expires_at);
        let rotated = rotated.await?;
        request.record(Action::KeyRotated, &rotated.key.name).await;
        Ok(ShownSecret::rotated(rotated))
    };
    match request.once(&sent, &request.path("/keys"), work).await? {
        Ok(shown) => Ok(ok(&shown.page(&request, HEADING).await)),
        Err(fault) => {
            let renamed = [("grace_seconds", "grace"), ("expires_at", "expires")];
            let refused = language.refused(&fault, &["grace", "expires"], &renamed);
            page(&request, &key, &form, refused).await
        }
    }
}

pub async fn revoke(request: MemberRequest, Path((_, key)): Path<(Uuid, String)>) -> PageResult {
    let (gateway, actor) = (&request.app.gateway, request.actor());
    match gateway.revoke_key(&actor, request.scope.id, &key).await {
        Ok(revoked) => {
            request.record(Action::KeyRevoked, &revoked.name).await;
            Ok(see_other(&request.path("/keys")))
        }
        Err(fault) if fault.code == Code::NotFound => Err(PageError::not_found()),
        Err(fault) => {
            let refused = request.language().refused(&fault, &[], &[]);
            page(&request, &key, &RotateForm::default(), refused).await
        }
    }
}

async fn page(
    request: &MemberRequest,
    key: &str,
    form: &RotateForm,
    state: FormState,
) -> PageResult {
    let (now, account) = (request.app.clock.now(), request.scope.id);
    let (gateway, language) = (&request.app.gateway, request.language());
    let (key, frame, last_call) = futures::join!(
        gateway.key(account, key),
        request.frame(Section::Keys),
        gateway.last_call(account, key),
    );
    let key = key?;
    let found = frame.account()?;
    let errors = state.errors.in_language(language.language);
    let rotation = rotation(language, &key, found, form, &errors);
    let refusal = refusal(language, &key, found.month.as_ref(), now);
    let page = KeyPage {
        shell: frame.closed_shell(),
        errors,
        account: account.to_string(),
        form: once::new_id(),
        key: row(language, &key, now),
        expires: time_of(key.expires_at).map(|at| when::minute(language.texts(), at)),
        game: key.game,
        // Without the log of calls, the page leaves the calls out.
        last_call: last_call
            .ok()
            .flatten()
            .map(|call| last_call_row(language, &call)),
        rotation,
        refusal,
        may_change: request.may(Permission::Develop),
    };
    Ok(html(state.status, &page))
}

fn last_call_row(language: PageLanguage, call: &proto::Call) -> LastCall {
    LastCall {
        at: minute_of(language.texts(), call.at),
        route: format!("{} {}", call.method, call.route),
        status: call.status.to_string(),
    }
}

/// The fields of a rotation, with what was typed. The grace periods are those that the gateway allows, longest first. `None` if the key was
/// rotated already.
fn rotation(
    language: PageLanguage,
    key: &proto::Key,
    account: &proto::AccountsServiceGetAccountResponse,
    form: &RotateForm,
    errors: &Fields,
) -> Option<RotationFields> {
    if key.grace_until.is_some() {
        return None;
    }
    let range = account.least_grace_seconds..=account.most_grace_seconds;
    let allowed = GRACES.iter().rev();
    let allowed = allowed.filter(|(seconds, _)| *seconds == 0 || range.contains(seconds));
    let graces = allowed.map(|&(seconds, text)| {
        let value = seconds.to_string();
        Choice {
            is_chosen: value == form.grace,
            value,
            label: language.say(text).to_owned(),
        }
    });
    let texts = language.texts();
    let hint = match time_of(key.expires_at) {
        Some(expires) => texts.say_of("key-new-expires-same", &when::minute(texts, expires)),
        None => language.say("key-new-expires-never").to_owned(),
    };
    let expires = Field::date("expires", language.say("key-new-expires"))
        .optional()
        .hint(hint);
    let grace = Select::new("grace", language.say("key-grace-label"), graces.collect());
    Some(RotationFields {
        grace: grace.error_in(errors),
        expires: expires.value(&form.expires).error_in(errors),
    })
}
