//! The form in which a person calls an operation of the API, with the rights of a test key and without one in the page.

mod form;
mod typed;

use axum::extract::Path;
use contracts::gateway::v1 as proto;
use http::StatusCode;
use pages::ApiCall as ApiCallLine;
use pages::try_it::{Answer, Request, TryPage};
use uuid::Uuid;

use self::form::form_parts;
use self::typed::{TypedCall, call};
use super::choice::{Question, choose};
use super::member_request::MemberRequest;
use crate::docs::reference::{Operation, Reference};
use crate::domain::json_text::indented;
use crate::domain::snippet::{ApiCall, curl, javascript, python};
use crate::form_body::FormBody;
use crate::page_error::{PageError, PageResult};
use crate::person_request::PersonRequest;
use crate::render::{FormState, html};
use crate::store::members;
use crate::viewer::Section;

/// The longest body that a page shows, in bytes.
const MAX_SHOWN: usize = 64 * 1024;

/// `/try/{operation}` redirects to the page in the person's account.
pub async fn entry(request: PersonRequest, Path(operation): Path<String>) -> PageResult {
    let (app, language) = (&request.app, request.language());
    let reference = app.docs.reference()?;
    let id = &find(&reference, &operation)?.id;
    let memberships = members::of_person(&app.pool, request.person().id).await?;
    let accounts: Vec<Uuid> = memberships.iter().map(|it| it.account).collect();
    let question = Question {
        title: language.say("try-choose"),
        text: language.say("try-choose-account"),
    };
    let page = |account: &Uuid| format!("/accounts/{account}/try/{id}");
    Ok(choose(&request, &accounts, question, page).await)
}

pub async fn show(
    request: MemberRequest,
    Path((_, operation)): Path<(Uuid, String)>,
) -> PageResult {
    let reference = request.app.docs.reference()?;
    let operation = find(&reference, &operation)?;
    let typed = TypedCall::prefilled(operation);
    page(&request, operation, &typed, Err(FormState::default())).await
}

pub async fn send(
    request: MemberRequest,
    Path((_, operation)): Path<(Uuid, String)>,
    FormBody(pairs): FormBody<Vec<(String, String)>>,
) -> PageResult {
    let reference = request.app.docs.reference()?;
    let operation = find(&reference, &operation)?;
    let typed = TypedCall::new(pairs);
    let sent = run(&request, operation, &typed).await;
    page(&request, operation, &typed, sent).await
}

fn find<'r>(reference: &'r Reference, id: &str) -> Result<&'r Operation, PageError> {
    reference.operation(id).ok_or_else(PageError::not_found)
}

/// Sends the typed call; returns the request and its answer.
async fn run(
    request: &MemberRequest,
    operation: &Operation,
    typed: &TypedCall,
) -> Result<(Request, Answer), FormState> {
    let (app, language) = (&request.app, request.language());
    let call = call(operation, typed, &app.api_url, language.texts());
    let call = call.map_err(FormState::invalid)?;
    let sent = app.gateway.run_test_call(proto::RunTestCallRequest {
        actor: (&request.actor()).into(),
        account_id: request.scope.id.to_string(),
        ..test_call(&call, &app.api_url)
    });
    let answer = sent.await.map_err(|fault| {
        // The error names fields of the message. The form has other names for these, so the error goes to the top of the form.
        language.refused(&fault, &[], &[])
    })?;
    Ok((shown_request(&call), shown_answer(answer)))
}

/// The call as a message for the gateway: the target without the host, and a content type for the body.
fn test_call(call: &ApiCall, api_url: &str) -> proto::RunTestCallRequest {
    let version = api_url.rsplit_once('/').map_or("", |(_, version)| version);
    let target = call.url.strip_prefix(api_url).unwrap_or_default();
    let content_type = ("content-type", "application/json");
    let headers = call
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let headers = headers.chain(call.body.is_some().then_some(content_type));
    proto::RunTestCallRequest {
        method: call.method.clone(),
        target: format!("/{version}{target}"),
        headers: headers
            .map(|(name, value)| proto::HttpHeader {
                name: name.to_ascii_lowercase(),
                value: value.to_owned(),
            })
            .collect(),
        body: call.body.clone().unwrap_or_default().into(),
        ..proto::RunTestCallRequest::default()
    }
}

fn shown_request(call: &ApiCall) -> Request {
    Request {
        variable: call.variable,
        curl: curl::snippet(call),
        python: python::snippet(call),
        javascript: javascript::snippet(call),
    }
}

fn shown_answer(answer: proto::RunTestCallResponse) -> Answer {
    let status = u16::try_from(answer.status).ok();
    let status = status.and_then(|status| StatusCode::from_u16(status).ok());
    let text = String::from_utf8_lossy(&answer.body);
    let mut end = text.len().min(MAX_SHOWN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let headers = answer.headers.into_iter();
    Answer {
        status: status.map_or_else(|| answer.status.to_string(), |status| status.to_string()),
        is_success: status
            .is_some_and(|status| !status.is_client_error() && !status.is_server_error()),
        headers: headers.map(|header| (header.name, header.value)).collect(),
        body: indented(&text[..end]),
        is_cut_off: answer.is_cut_off || end < text.len(),
    }
}

async fn page(
    request: &MemberRequest,
    operation: &Operation,
    typed: &TypedCall,
    sent: Result<(Request, Answer), FormState>,
) -> PageResult {
    let language = request.language();
    let (sent, state) = match sent {
        Ok(sent) => (Some(sent), FormState::default()),
        Err(state) => (None, state),
    };
    let FormState { status, errors } = state.in_language(language.language);
    let shell = request.shell(Section::Requests).await;
    let call = format!("{} {}", operation.method, operation.path);
    let page = TryPage {
        title: operation.title(),
        call: call.clone(),
        summary: operation.summary.clone(),
        reference: format!("{}/{}", crate::docs::reference::PATH, operation.id),
        action: request.path(&format!("/try/{}", operation.id)),
        requests: request.path("/requests"),
        caller: language.say(caller(operation)),
        parts: form_parts(operation, typed, &errors),
        sent,
        // The API's answer shows what the switches close.
        shell: pages::Shell {
            closed: None,
            api_call: Some(ApiCallLine::new("try-call", call.as_str())),
            ..shell
        },
        errors,
    };
    Ok(html(status, &page))
}

/// The rights of the call: the key of a sentence.
fn caller(operation: &Operation) -> &'static str {
    let takes = |scheme: &str| operation.callers.iter().any(|it| it.scheme == scheme);
    let reads = operation.method == "GET";
    if takes("token") && reads {
        "try-as-token"
    } else if takes("token") {
        "try-as-account"
    } else if takes("key") {
        "try-as-key"
    } else {
        "try-as-game"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str, is_cut_off: bool) -> Answer {
        shown_answer(proto::RunTestCallResponse {
            status: 404,
            headers: Vec::new(),
            body: body.to_owned().into_bytes().into(),
            is_cut_off,
        })
    }

    #[test]
    fn an_answer_is_laid_out_and_no_longer_than_a_page_shows() {
        let shown = answer("{\"a\":1}", false);
        assert_eq!(shown.body, "{\n  \"a\": 1\n}");
        assert_eq!(
            (shown.status.as_str(), shown.is_success),
            ("404 Not Found", false)
        );
        assert!(!shown.is_cut_off);
        assert!(answer("{}", true).is_cut_off);
        let long = answer(&"é".repeat(MAX_SHOWN), false);
        assert!(long.is_cut_off);
        assert_eq!(long.body.len(), MAX_SHOWN);
    }

    #[test]
    fn a_call_goes_below_the_host_with_the_version() {
        let call = ApiCall {
            method: "POST".to_owned(),
            url: "https://api.example/v1/games?dry_run=true".to_owned(),
            variable: "SERVICE_WRITE_KEY",
            headers: vec![("Idempotency-Key".to_owned(), "a".to_owned())],
            body: Some("{}".to_owned()),
        };
        let sent = test_call(&call, "https://api.example/v1");
        assert_eq!(sent.target, "/v1/games?dry_run=true");
        let names: Vec<&str> = sent.headers.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["idempotency-key", "content-type"]);
    }
}
