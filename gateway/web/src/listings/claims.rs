//! Claims of pages that are in the directory already.

use axum::extract::Path;
use contracts::listings::v1 as proto;
use kit::{Code, Fault};
use pages::listings::claims::{ClaimRow, OwnClaimsPage};
use pages::{Field, StateText};
use serde::Deserialize;
use uuid::Uuid;

use crate::account::effect::Effect;
use crate::account::member_request::MemberRequest;
use crate::domain::action::Action;
use crate::domain::role::Permission;
use crate::english::{say, texts};
use crate::form_body::FormBody;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::render::{FormState, html, see_other};
use crate::request::Section;
use crate::upstream::minute_of;
use crate::url_query::UrlQuery;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ClaimForm {
    handle: String,
    evidence: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ClaimQuery {
    /// The page that a link of the public site names.
    handle: String,
    /// The action that the notice is about.
    done: String,
}

pub async fn show(request: MemberRequest, UrlQuery(query): UrlQuery<ClaimQuery>) -> PageResult {
    let form = ClaimForm { handle: query.handle, ..ClaimForm::default() };
    let notice = AfterForm::named(&query.done);
    page(&request, notice, &form, FormState::default()).await
}

pub async fn send(request: MemberRequest, FormBody(form): FormBody<ClaimForm>) -> PageResult {
    let (listings, account) = (&request.app.listings, request.scope.id);
    let form = ClaimForm {
        handle: form.handle.trim().to_owned(),
        evidence: form.evidence.replace("\r\n", "\n"),
    };
    let work = async {
        let claimed = listings.claim(account, &form.handle, &form.evidence).await;
        claimed.map_err(|fault| match fault.code {
            // The 404 of the service is about the typed page, not about this one.
            Code::NotFound => Fault::invalid_field("handle", fault.message),
            _ => fault,
        })?;
        let path = request.path("/claims?done=page-claimed");
        Ok(Effect::shown_at(Action::PageClaimed, &form.handle, &path))
    };
    let page = async |state| page(&request, None, &form, state).await;
    request.answer(work, &["handle", "evidence"], page).await
}

/// Withdraws a claim. If the form is sent twice, the second one finds no claim, and has the same answer.
pub async fn withdraw(request: MemberRequest, Path((_, id)): Path<(Uuid, String)>) -> PageResult {
    let work = async {
        let withdrawn = request.app.listings.withdraw_claim(request.scope.id, &id);
        let path = request.path("/claims?done=claim-withdrawn");
        Ok(match withdrawn.await? {
            Some(claim) => Effect::shown_at(Action::ClaimWithdrawn, claim.handle, &path),
            None => Effect::none(see_other(&path)),
        })
    };
    let form = ClaimForm::default();
    let page = async |state| page(&request, None, &form, state).await;
    request.answer(work, &[], page).await
}

async fn page(
    request: &MemberRequest,
    notice: Option<&'static str>,
    form: &ClaimForm,
    state: FormState,
) -> PageResult {
    let account = request.scope.id;
    let (mut frame, claims) =
        futures::join!(request.frame(Section::Listings), request.app.listings.claims(account));
    let claims = claims?;
    frame.notice = notice;
    let FormState { status, errors } = state;
    let handle = Field::text("handle", say("claim-handle"));
    let handle = handle.hint(say("claim-handle-hint"));
    let evidence = Field::area("evidence", say("claim-how"), 4).hint(say("claim-how-hint"));
    let page = OwnClaimsPage {
        account: account.to_string(),
        claims: claims.into_iter().map(row).collect(),
        handle: handle.value(&form.handle).error_in(&errors),
        evidence: evidence.value(&form.evidence).error_in(&errors),
        may_edit: request.may(Permission::Edit),
        frame,
        errors,
    };
    Ok(html(status, &page))
}

fn row(claim: proto::Claim) -> ClaimRow {
    let (key, tone) = match claim.state() {
        proto::ClaimState::Granted => ("claim-state-granted", "good"),
        proto::ClaimState::Rejected => ("claim-state-rejected", "bad"),
        proto::ClaimState::Waiting => ("claim-state-waits", ""),
        proto::ClaimState::Unspecified => ("claim-state-unknown", ""),
    };
    let text = say(key);
    ClaimRow {
        is_open: claim.state() == proto::ClaimState::Waiting,
        id: claim.id,
        handle: claim.handle,
        made: minute_of(texts(), claim.made_at),
        evidence: claim.evidence,
        state: StateText { text, tone },
        reason: claim.reason,
    }
}
