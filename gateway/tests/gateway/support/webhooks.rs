//! A stub of webhook-svc that records requests.

use std::sync::{Arc, Mutex};

use contracts::common::v1::PageInfo;
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::messages_service_server::{MessagesService, MessagesServiceServer};
use kit::{Fault, Lifecycle};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// The `data` of messages, with details that parsing would lose.
pub(crate) const MESSAGES: &str = r#"[{"cursor": "c", "body":"{\"id\":1}"}]"#;

#[derive(Clone)]
pub(crate) struct Webhooks {
    pub(crate) address: String,
    state: Arc<Mutex<StubState>>,
}

#[derive(Default)]
struct StubState {
    messages: Vec<proto::ListMessagesRequest>,
    refusal: Option<Fault>,
}

impl Webhooks {
    pub(crate) async fn start(lifecycle: &Lifecycle) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let webhooks = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            state: Arc::default(),
        };
        let server = Server::builder()
            .add_service(MessagesServiceServer::new(webhooks.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.spawn(async move { server.await.unwrap() });
        webhooks
    }

    /// Takes the recorded requests for messages.
    pub(crate) fn messages(&self) -> Vec<proto::ListMessagesRequest> {
        std::mem::take(&mut self.state.lock().unwrap().messages)
    }

    /// Fails all requests from now on.
    pub(crate) fn refuse(&self, fault: Fault) {
        self.state.lock().unwrap().refusal = Some(fault);
    }
}

#[tonic::async_trait]
impl MessagesService for Webhooks {
    async fn list_messages(
        &self,
        request: Request<proto::ListMessagesRequest>,
    ) -> Result<Response<proto::ListMessagesResponse>, Status> {
        let mut state = self.state.lock().unwrap();
        state.messages.push(request.into_inner());
        if let Some(fault) = &state.refusal {
            return Err(fault.clone().into());
        }
        Ok(Response::new(proto::ListMessagesResponse {
            json: MESSAGES.into(),
            page: Some(PageInfo { total: 1, next_cursor: Some("c".to_owned()) }),
        }))
    }
}
