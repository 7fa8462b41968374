//! The log of an account's calls, by pages and filters.

use contracts::gateway::v1 as proto;
use kit::Code;
use pages::requests::{CallLogPage, Credential, KeyChoice, RequestRow};
use pages::when;
use serde::Deserialize;
use url::form_urlencoded;
use uuid::Uuid;

use super::keys::mode_name;
use crate::account::member_request::MemberRequest;
use crate::domain::role::Permission;
use crate::english::texts;
use crate::page_error::PageResult;
use crate::render::{FormState, html};
use crate::request::Section;
use crate::upstream::time_of;
use crate::url_query::UrlQuery;

/// Rows of a page.
const ROWS: u32 = 50;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct CallQuery {
    key: String,
    errors: String,
    cursor: String,
}

impl CallQuery {
    fn only_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    fn request(&self, account: Uuid) -> proto::AccountsServiceListCallsRequest {
        proto::AccountsServiceListCallsRequest {
            account_id: account.to_string(),
            key_id: self.key.clone(),
            only_errors: self.only_errors(),
            limit: ROWS,
            cursor: self.cursor.clone(),
        }
    }

    /// The query of the next page.
    fn with_cursor(&self, cursor: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let filters = [("key", &self.key), ("errors", &self.errors)];
        query.extend_pairs(filters.iter().filter(|(_, value)| !value.is_empty()));
        query.append_pair("cursor", cursor).finish()
    }
}

pub async fn show(request: MemberRequest, UrlQuery(query): UrlQuery<CallQuery>) -> PageResult {
    let (gateway, account) = (&request.app.gateway, request.scope.id);
    let (listed, keys, frame) = futures::join!(
        gateway.calls(query.request(account)),
        gateway.keys(account),
        request.frame(Section::Requests),
    );
    let keys = keys?;
    let (state, listed) = match listed {
        Ok(listed) => (FormState::default(), listed),
        Err(fault) if fault.code == Code::Invalid => {
            let mut refused = FormState::refused(&fault, &["key_id"]);
            // The field of the form has another name.
            refused.errors = refused.errors.renamed(|_key_id| "key".to_owned());
            (refused, proto::AccountsServiceListCallsResponse::default())
        }
        Err(fault) => return Err(fault.into()),
    };
    let path = request.path("/requests");
    let next = listed.next_cursor.as_deref();
    let page = CallLogPage {
        frame,
        errors: state.errors,
        account: account.to_string(),
        keys: choices(&keys, &query.key),
        only_errors: query.only_errors(),
        is_filtered: query.only_errors() || !query.key.is_empty(),
        rows: listed.calls.iter().map(|call| row(call, &keys)).collect(),
        next: next.map(|cursor| format!("{path}?{}", query.with_cursor(cursor))),
        most: texts().number(listed.most.into()),
        left_out: Some(listed.left_out).filter(|count| *count > 0),
        may_make_keys: request.may(Permission::Develop),
    };
    Ok(html(state.status, &page))
}

fn choices(keys: &[proto::Key], chosen: &str) -> Vec<KeyChoice> {
    let choice = |key: &proto::Key| KeyChoice {
        id: key.id.clone(),
        name: key.name.clone(),
        mode: mode_name(key.mode()).to_owned(),
        is_chosen: key.id == chosen,
    };
    keys.iter().map(choice).collect()
}

fn credential(keys: &[proto::Key], id: &str) -> Credential {
    let key = keys.iter().find(|key| key.id == id);
    key.map_or(Credential::Gone, |key| Credential::Key {
        id: key.id.clone(),
        name: key.name.clone(),
    })
}

fn row(call: &proto::Call, keys: &[proto::Key]) -> RequestRow {
    let at = time_of(call.at).map(|at| texts().second(at));
    RequestRow {
        at: at.unwrap_or_default(),
        method: call.method.clone(),
        target: call.target.clone(),
        route: Some(&call.route).filter(|route| *route != "none").cloned().unwrap_or_default(),
        status: call.status,
        is_success: call.status < 400,
        code: call.code.clone(),
        duration: texts().decimal(&when::milliseconds(call.duration_us)),
        request_id: call.request_id.clone(),
        credential: credential(keys, &call.key_id),
        mode: texts().value("key-mode", &call.mode, &call.mode).to_owned(),
        left_out: (call.left_out > 0).then(|| texts().number(call.left_out)),
    }
}
