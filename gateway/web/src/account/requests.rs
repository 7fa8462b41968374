//! The log of an account's calls, by pages and filters.

use axum::extract::Query;
use contracts::gateway::v1 as proto;
use kit::Code;
use pages::requests::{CallLogPage, Credential, KeyChoice, Problem, RequestRow};
use pages::when;
use serde::Deserialize;
use url::form_urlencoded;
use uuid::Uuid;

use super::keys::{mode_name, variable};
use super::member_request::MemberRequest;
use crate::domain::role::Permission;
use crate::domain::{curl, error_help};
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::render::{FormState, html};
use crate::upstream::time_of;
use crate::viewer::Section;

/// Rows of a page: each has a command and an explanation.
const ROWS: u32 = 50;
/// The log cuts path and query off after 300 bytes, between characters.
const CUT_OFF: usize = 297;

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

pub async fn show(request: MemberRequest, Query(query): Query<CallQuery>) -> PageResult {
    let (gateway, account) = (&request.app.gateway, request.scope.id);
    let (listed, keys, shell) = futures::join!(
        gateway.calls(query.request(account)),
        gateway.keys(account),
        request.shell(Section::Requests),
    );
    let language = request.language();
    let credentials = Credentials { keys: keys? };
    let (state, listed) = match listed {
        Ok(listed) => (FormState::default(), listed),
        Err(fault) if fault.code == Code::Invalid => {
            let refused = FormState::refused_renamed(&fault, &["key"], &[("key_id", "key")]);
            (refused, proto::AccountsServiceListCallsResponse::default())
        }
        Err(fault) => return Err(fault.into()),
    };
    let api_url = &request.app.api_url;
    let path = request.path("/requests");
    let next = listed.next_cursor.as_deref();
    let page = CallLogPage {
        shell,
        errors: state.errors.in_language(request.language().language),
        account: account.to_string(),
        keys: credentials.choices(language, &query.key),
        only_errors: query.only_errors(),
        is_filtered: query.only_errors() || !query.key.is_empty(),
        rows: listed
            .calls
            .iter()
            .map(|call| row(language, call, &credentials, api_url))
            .collect(),
        next: next.map(|cursor| format!("{path}?{}", query.with_cursor(cursor))),
        most: language.texts().number(listed.most.into()),
        left_out: Some(listed.left_out).filter(|count| *count > 0),
        may_make_keys: request.may(Permission::Develop),
    };
    Ok(html(state.status, &page))
}

/// The credentials of an account's calls.
struct Credentials {
    keys: Vec<proto::Key>,
}

impl Credentials {
    fn choices(&self, language: PageLanguage, chosen: &str) -> Vec<KeyChoice> {
        let choice = |key: &proto::Key| KeyChoice {
            id: key.id.clone(),
            name: key.name.clone(),
            mode: mode_name(language, &key.mode),
            is_chosen: key.id == chosen,
        };
        self.keys.iter().map(choice).collect()
    }

    /// The credential with this id, and the environment variable that commands use for it.
    fn find(&self, id: &str) -> (Credential, &'static str) {
        if let Some(key) = self.keys.iter().find(|key| key.id == id) {
            let credential = Credential::Key {
                id: key.id.clone(),
                name: key.name.clone(),
            };
            return (credential, variable(&key.kind, key.may_write));
        }
        (Credential::Gone, "SERVICE_API_KEY")
    }
}

fn row(
    language: PageLanguage,
    call: &proto::Call,
    credentials: &Credentials,
    api_url: &str,
) -> RequestRow {
    let texts = language.texts();
    let (credential, variable) = credentials.find(&call.key_id);
    let problem = error_help::of_call(texts, call.status, &call.code).map(|help| Problem {
        code: call.code.clone(),
        cause: help.cause,
        fix: help.fix,
    });
    let at = time_of(call.at).map(|at| when::second(texts, at));
    RequestRow {
        at: at.unwrap_or_default(),
        method: call.method.clone(),
        target: call.target.clone(),
        is_cut_off: call.target.len() >= CUT_OFF,
        route: Some(&call.route)
            .filter(|route| *route != "none")
            .cloned()
            .unwrap_or_default(),
        status: call.status,
        is_success: call.status < 400,
        problem,
        duration: texts.decimal(&when::milliseconds(call.duration_us)),
        request_id: call.request_id.clone(),
        credential,
        mode: mode_name(language, &call.mode),
        left_out: (call.left_out > 0).then(|| texts.number(call.left_out)),
        curl: curl::call(curl::Call {
            api_url,
            method: &call.method,
            target: &call.target,
            variable,
        }),
    }
}

#[cfg(test)]
mod tests {
    use pages::site::Language;

    use super::*;

    #[test]
    fn filters_stay_on_the_next_page() {
        let query = CallQuery {
            key: "0190f000".to_owned(),
            errors: "yes".to_owned(),
            cursor: String::new(),
        };
        let request = query.request(Uuid::nil());
        assert!(request.only_errors && request.key_id == "0190f000");
        assert_eq!(
            query.with_cursor("a&b="),
            "key=0190f000&errors=yes&cursor=a%26b%3D"
        );
        assert!(!CallQuery::default().only_errors());
        assert_eq!(CallQuery::default().with_cursor("a"), "cursor=a");
    }

    #[test]
    fn a_refused_call_has_its_cause_and_its_command() {
        let call = proto::Call {
            method: "POST".to_owned(),
            route: "/v1/games".to_owned(),
            target: "/v1/games".to_owned(),
            status: 403,
            code: "write_not_allowed".to_owned(),
            key_id: "k".to_owned(),
            ..proto::Call::default()
        };
        let key = proto::Key {
            id: "k".to_owned(),
            name: "server".to_owned(),
            kind: "account".to_owned(),
            may_write: true,
            ..proto::Key::default()
        };
        let credentials = |keys| Credentials { keys };
        let own = credentials(vec![key]);
        let row = |language| {
            let language = PageLanguage {
                language,
                prefix: "",
            };
            row(language, &call, &own, "https://mchezo.example/v1")
        };
        let french = row(Language::French);
        assert_eq!(
            french.problem.unwrap().cause,
            "La clé ne permet que la lecture."
        );
        let shown = row(Language::English);
        assert!(!shown.is_success);
        assert_eq!(shown.problem.unwrap().cause, "The key can only read.");
        assert!(shown.curl.contains("$SERVICE_WRITE_KEY"), "{}", shown.curl);
        let others = credentials(Vec::new());
        assert_eq!(others.find("k").0, Credential::Gone);
    }
}
