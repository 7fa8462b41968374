//! gateway.v1.TestCallService: calls of the public API that people make in the documentation, without a key.

use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::ConnectInfo;
use axum::response::Response as HttpResponse;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::test_call_service_server::TestCallService;
use http::header::{CONTENT_TYPE, HeaderName, IF_MATCH, IF_NONE_MATCH};
use http::uri::PathAndQuery;
use http::{HeaderValue, Method, Request as HttpRequest, Uri, Version};
use http_body_util::BodyExt as _;
use kit::Fault;
use kit::bad_fields::BadFields;
use tonic::{Request, Response, Status};
use tower::ServiceExt as _;

use super::operations::Operations;
use crate::domain::account::Identifier;
use crate::domain::fields;
use crate::domain::test_caller::TestCaller;

/// The most bytes of a response that the person gets.
const MAX_BODY: usize = 256 * 1024;

const METHODS: [Method; 5] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PATCH,
    Method::DELETE,
];

const HEADERS: [HeaderName; 4] = [
    CONTENT_TYPE,
    HeaderName::from_static("idempotency-key"),
    IF_MATCH,
    IF_NONE_MATCH,
];

pub struct TestCalls {
    pub operations: Arc<Operations>,
    /// The router of the public port, with its own limit on concurrent calls.
    pub router: Router,
}

#[tonic::async_trait]
impl TestCallService for TestCalls {
    async fn run_test_call(
        &self,
        request: Request<proto::RunTestCallRequest>,
    ) -> Result<Response<proto::RunTestCallResponse>, Status> {
        Ok(Response::new(self.run(request.into_inner()).await?))
    }
}

impl TestCalls {
    async fn run(
        &self,
        message: proto::RunTestCallRequest,
    ) -> Result<proto::RunTestCallResponse, Fault> {
        let mut bad = BadFields::default();
        let account = bad.id("account_id", &message.account_id);
        let mut request = read(&mut bad, message);
        bad.check()?;
        let account = self.operations.account(&Identifier::Id(account)).await?;
        request.extensions_mut().insert(TestCaller {
            account: account.id,
            account_name: account.name,
            plan: account.plan,
        });
        let Ok(response) = self.router.clone().oneshot(request).await;
        written(response).await
    }
}

/// The request that a message asks for. After an error, it is arbitrary.
fn read(bad: &mut BadFields, message: proto::RunTestCallRequest) -> HttpRequest<Body> {
    let actor = message.actor.unwrap_or_default();
    let person = fields::person(bad, &actor.person_id, &actor.address);
    let mut request = HttpRequest::new(Body::from(message.body));
    // Over HTTP/2 a request needs no header with a host.
    *request.version_mut() = Version::HTTP_2;
    request
        .extensions_mut()
        .insert(ConnectInfo(SocketAddr::new(person.address, 0)));

    let method = |method: &Method| method.as_str() == message.method;
    match METHODS.into_iter().find(method) {
        Some(method) => *request.method_mut() = method,
        None => bad.add("method", "Use one of: GET, HEAD, POST, PATCH, DELETE."),
    }
    match PathAndQuery::from_str(&message.target) {
        Ok(target) if message.target.starts_with('/') => *request.uri_mut() = Uri::from(target),
        _ => bad.add("target", "Give a path with its query, such as /v1/games."),
    }
    for header in message.headers {
        let name = HEADERS.into_iter().find(|name| *name == *header.name);
        let value = HeaderValue::try_from(&header.value);
        match (name, value) {
            (Some(name), Ok(value)) => {
                request.headers_mut().insert(name, value);
            }
            (Some(name), Err(_invalid)) => bad.add(
                format!("headers.{name}"),
                "A header is one line of ASCII characters.",
            ),
            (None, _) => bad.add(
                "headers",
                "Send only content-type, idempotency-key, if-match and if-none-match.",
            ),
        }
    }
    request
}

async fn written(response: HttpResponse) -> Result<proto::RunTestCallResponse, Fault> {
    let (head, mut body) = response.into_parts();
    let mut shown = Vec::new();
    let mut is_cut_off = false;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Fault::internal(&error))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let free = MAX_BODY - shown.len();
        shown.extend_from_slice(&data[..data.len().min(free)]);
        if data.len() > free || (shown.len() == MAX_BODY && !body.is_end_stream()) {
            is_cut_off = true;
            break;
        }
    }
    let headers = head.headers.iter().map(|(name, value)| proto::HttpHeader {
        name: name.to_string(),
        value: String::from_utf8_lossy(value.as_bytes()).into_owned(),
    });
    Ok(proto::RunTestCallResponse {
        status: head.status.as_u16().into(),
        headers: headers.collect(),
        body: shown.into(),
        is_cut_off,
    })
}
