//! A stand-in for listings-svc that has files of pictures.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use contracts::listings::v1 as proto;
use contracts::listings::v1::picture_service_server::{PictureService, PictureServiceServer};
use kit::{Fault, Lifecycle};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) address: String,
    told: Arc<Mutex<Told>>,
}

#[derive(Default)]
struct Told {
    files: BTreeMap<String, Bytes>,
    /// Offset and length of every part that was asked for.
    asked: Vec<(u64, u32)>,
    hangs: bool,
}

impl Files {
    pub(crate) async fn start(lifecycle: &Lifecycle) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let files = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            told: Arc::default(),
        };
        let server = Server::builder()
            .add_service(PictureServiceServer::new(files.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        lifecycle.detached(async move { server.await.unwrap() });
        files
    }

    pub(crate) fn hold(&self, name: &str, bytes: impl Into<Bytes>) {
        let mut told = self.told.lock().unwrap();
        told.files.insert(name.to_owned(), bytes.into());
    }

    pub(crate) fn hang(&self, hangs: bool) {
        self.told.lock().unwrap().hangs = hangs;
    }

    /// The parts that were asked for since this was last asked.
    pub(crate) fn asked(&self) -> Vec<(u64, u32)> {
        std::mem::take(&mut self.told.lock().unwrap().asked)
    }

    /// How many parts were asked for and not yet told of.
    pub(crate) fn waiting(&self) -> usize {
        self.told.lock().unwrap().asked.len()
    }
}

#[tonic::async_trait]
impl PictureService for Files {
    async fn get_picture(
        &self,
        request: Request<proto::GetPictureRequest>,
    ) -> Result<Response<proto::GetPictureResponse>, Status> {
        let request = request.into_inner();
        let (file, hangs) = {
            let mut told = self.told.lock().unwrap();
            told.asked.push((request.offset, request.most));
            (told.files.get(&request.name).cloned(), told.hangs)
        };
        if hangs {
            std::future::pending::<()>().await;
        }
        let file = file.ok_or_else(|| Fault::not_found("there is none"))?;
        let begin = usize::try_from(request.offset).unwrap().min(file.len());
        let most = usize::try_from(request.most).unwrap();
        let end = begin.saturating_add(most).min(file.len());
        Ok(Response::new(proto::GetPictureResponse {
            content_type: "image/jpeg".to_owned(),
            size: u64::try_from(file.len()).unwrap(),
            part: file.slice(begin..end),
        }))
    }
}
