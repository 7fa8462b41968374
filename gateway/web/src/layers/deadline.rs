//! The deadline of every request, and forms that run to their end.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::Method;
use kit::request_id;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing::Instrument as _;

use super::log::RequestId;
use crate::app::App;
use crate::form_body;
use crate::page_error::PageError;
use crate::uploads;

pub async fn limit(State(app): State<App>, request: Request, next: Next) -> Response {
    let limit = time_limit(app.timeout, &request);
    let is_form = request.method() == Method::POST;
    let id = request.extensions().get::<RequestId>().cloned();
    let answer = request_id::scope(id.unwrap_or_default().0, async move {
        let response = timeout(limit, next.run(request)).await;
        response.unwrap_or_else(|_elapsed| PageError::timed_out().into_response())
    });
    if is_form { run_to_end(&app, answer).await } else { answer.await }
}

/// How long the answer to a request may take. That to an upload waits for the file, which has limits of its own (`uploads.rs`), and for the
/// service that stores it.
fn time_limit(timeout: Duration, request: &Request) -> Duration {
    if request.method() == Method::POST && form_body::is_upload(request.headers()) {
        uploads::WHOLE + uploads::STORING + timeout
    } else {
        timeout
    }
}

/// Answers a form in a task of its own, which continues if the browser closes the connection. On a double click, browsers close the
/// connection of the first click; without the task, a key could be made whose secret nobody sees.
async fn run_to_end(
    app: &App,
    answer: impl Future<Output = Response> + Send + 'static,
) -> Response {
    let (sender, receiver) = oneshot::channel();
    let task = async move {
        // The receiver was dropped if the browser has closed the connection.
        drop(sender.send(answer.await));
    };
    app.lifecycle.spawn(task.in_current_span());
    let answered = receiver.await;
    answered.unwrap_or_else(|_stopped| PageError::timed_out().into_response())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn an_upload_has_the_time_that_its_file_may_take() {
        let timeout = Duration::from_secs(30);
        for (media_type, is_upload) in [
            ("multipart/form-data; boundary=edge", true),
            ("application/x-www-form-urlencoded", false),
        ] {
            let request = Request::post("/").header("content-type", media_type);
            let limit = time_limit(timeout, &request.body(Body::empty()).unwrap());
            assert_eq!(limit > uploads::WHOLE, is_upload, "{media_type}");
            assert_eq!(limit == timeout, !is_upload, "{media_type}");
        }
    }
}
