//! One key: rotation and revocation.

use axum::extract::Path;
use contracts::gateway::v1 as proto;
use pages::Frame;
use pages::keys::{KeyPage, LastCall};
use serde::Deserialize;
use time::OffsetDateTime;
use uuid::Uuid;

use super::words::refusal;
use super::{KeyEffect, row, shown_once};
use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::english::{say, say_of_two, texts};
use crate::notice::AfterForm;
use crate::once_form::{self, OnceForm};
use crate::page_error::PageResult;
use crate::render::{FormState, html};
use crate::request::Section;
use crate::seen_secrets;
use crate::upstream::gateway::may_revoke;
use crate::upstream::{minute_of, time_of};
use crate::url_query::UrlQuery;

/// The notice of a second *Reveal*.
const REVEALED_BEFORE: &str = "done-key-revealed-before";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RotateForm {
    /// Whether the old secret stops at once.
    revoke: String,
}

pub async fn show(
    request: MemberRequest,
    Path((_, key)): Path<(Uuid, String)>,
    UrlQuery(after): UrlQuery<AfterForm>,
) -> PageResult {
    let form = (after.notice(), false);
    page(&request, &key, form, FormState::default()).await
}

pub async fn rotate(
    request: MemberRequest,
    Path((_, key)): Path<(Uuid, String)>,
    OnceForm(form, sent): OnceForm<RotateForm>,
) -> PageResult {
    let revoke_old = !form.revoke.is_empty();
    let (gateway, actor) = (&request.app.gateway, request.actor());
    let work = async {
        let rotated = gateway.rotate_key(&actor, request.scope.id, &key, revoke_old, sent).await?;
        let (made, old_key) = ((rotated.key, rotated.secret), rotated.old_key);
        let old_ends = time_of(old_key.grace_until);
        Ok(shown_once(&request, KeyEffect::Rotated, made, old_ends).await)
    };
    let page = async |state| page(&request, &key, (None, revoke_old), state).await;
    request.answer(work, &[], page).await
}

pub async fn revoke(request: MemberRequest, Path((_, key)): Path<(Uuid, String)>) -> PageResult {
    let (gateway, actor) = (&request.app.gateway, request.actor());
    let work = async {
        let revoked = gateway.revoke_key(&actor, request.scope.id, &key).await?;
        let (action, keys) = (Action::KeyRevoked, request.path("/keys"));
        let id = revoked.id.parse().ok();
        Ok(Effect::shown_at(action, revoked.name, &keys).once(id))
    };
    let page = async |state| page(&request, &key, (None, false), state).await;
    request.answer(work, &[], page).await
}

async fn page(
    request: &MemberRequest,
    key: &str,
    (notice, revoke_old): (Option<&'static str>, bool),
    state: FormState,
) -> PageResult {
    let (now, account) = (request.app.clock.now(), request.scope.id);
    let gateway = &request.app.gateway;
    let (key, context, last_call) = futures::join!(
        gateway.key(account, key),
        request.context(Section::Keys),
        gateway.last_call(account, key),
    );
    let key = key?;
    let seen_by = seen_by(request, &key).await?;
    let refusal = refusal(&key, context.account()?.month.as_ref(), now);
    let errors = state.errors;
    let shown_before = (notice == Some(REVEALED_BEFORE))
        .then(|| revealed_by_another(request, &key, &seen_by, now))
        .flatten();
    let may_revoke = may_revoke(&key, now);
    let page = KeyPage {
        // The text about a person who has revealed the key stands for the notice.
        frame: Frame { notice: notice.filter(|_| shown_before.is_none()), ..context.frame },
        errors,
        account: account.to_string(),
        form: once_form::new_id(),
        key: row(&key, now),
        shown_before,
        seen_by,
        game: key.game,
        // Without the log of calls, the page leaves the last call out.
        last_call: last_call.ok().flatten().map(|call| last_call_row(&call)),
        revoke_old,
        may_rotate: may_revoke && key.grace_until.is_none(),
        may_revoke,
        refusal,
        may_change: request.may(Permission::Develop),
    };
    Ok(html(state.status, &page))
}

/// Who has seen the secret, for people: an email address, or words if it is not known.
async fn seen_by(request: &MemberRequest, key: &proto::Key) -> Result<String, sqlx::Error> {
    let Ok(person) = key.seen_by.parse() else {
        return Ok(say("key-seen-by-staff").to_owned());
    };
    let email = seen_secrets::last_email(&request.app.pool, request.scope.id, person).await?;
    Ok(email.unwrap_or_else(|| say("team-seen-somebody").to_owned()))
}

/// What a person reads who wants to reveal a key that another person has revealed.
fn revealed_by_another(
    request: &MemberRequest,
    key: &proto::Key,
    seen_by: &str,
    now: OffsetDateTime,
) -> Option<String> {
    let is_own = key.seen_by == request.person().id.to_string();
    let can_rotate = may_revoke(key, now) && key.grace_until.is_none();
    let text = if can_rotate { "key-revealed-by" } else { "key-revealed-by-ended" };
    (!is_own).then(|| say_of_two(text, seen_by, &minute_of(texts(), key.created_at)))
}

fn last_call_row(call: &proto::Call) -> LastCall {
    LastCall {
        at: minute_of(texts(), call.at),
        route: format!("{} {}", call.method, call.route),
        status: call.status.to_string(),
    }
}
