//! Games and events that accounts submit and change (`listings/v1/writing.proto`), and what every submission of an account has in common.

use contracts::listings::v1 as proto;
use contracts::listings::v1::events_service_server::EventsService;
use contracts::listings::v1::games_service_server::GamesService;
use kit::idempotency::{self, CallId, body_hash};
use kit::{Code, Fault};
use serde_json::{Map, Value};
use tonic::{Request, Response, Status};

use crate::domain::entity::Entity;
use crate::domain::json_body::{self, BadBody};
use crate::domain::mode::Mode;
use crate::feed;
use crate::service::Service;
use crate::service::ids::parse_uuid;
use crate::write::pictures::PictureOperation;
use crate::write::submission::apply::{apply, check};
use crate::write::submission::{Author, Receipt, Submission, Target};

#[tonic::async_trait]
impl GamesService for Service {
    async fn create_game(
        &self,
        request: Request<proto::CreateGameRequest>,
    ) -> Result<Response<proto::CreateGameResponse>, Status> {
        let writing = request.into_inner().writing;
        let written = self.submit(Target::New(Entity::Game), writing, None).await?;
        Ok(Response::new(proto::CreateGameResponse { written }))
    }

    async fn update_game(
        &self,
        request: Request<proto::UpdateGameRequest>,
    ) -> Result<Response<proto::UpdateGameResponse>, Status> {
        let proto::UpdateGameRequest { slug, writing, precondition } = request.into_inner();
        let target = Target::Change(Entity::Game, slug);
        let written = self.submit(target, writing, precondition).await?;
        Ok(Response::new(proto::UpdateGameResponse { written }))
    }
}

#[tonic::async_trait]
impl EventsService for Service {
    async fn create_event(
        &self,
        request: Request<proto::CreateEventRequest>,
    ) -> Result<Response<proto::CreateEventResponse>, Status> {
        let writing = request.into_inner().writing;
        let written = self.submit(Target::New(Entity::Event), writing, None).await?;
        Ok(Response::new(proto::CreateEventResponse { written }))
    }

    async fn update_event(
        &self,
        request: Request<proto::UpdateEventRequest>,
    ) -> Result<Response<proto::UpdateEventResponse>, Status> {
        let proto::UpdateEventRequest { slug, writing, precondition } = request.into_inner();
        let target = Target::Change(Entity::Event, slug);
        let written = self.submit(target, writing, precondition).await?;
        Ok(Response::new(proto::UpdateEventResponse { written }))
    }
}

impl Service {
    /// Submits a new listing, or a change of one.
    pub(super) async fn submit(
        &self,
        target: Target,
        writing: Option<proto::Writing>,
        precondition: Option<proto::Precondition>,
    ) -> Result<Option<proto::Written>, Status> {
        let writing = writing.unwrap_or_default();
        let author = author(&writing.author.unwrap_or_default())?;
        let is_written = author.mode == Mode::Live && !writing.dry_run;
        let body = parse_body(&writing.body)?;
        let idempotency_key = match (target.idempotency_route(), &*writing.idempotency_key) {
            (Some(route), key) if is_written && !key.is_empty() => Some(idempotency::Key {
                call: CallId::new(author.account, route, key)?,
                body_sha256: body_hash::of(&body),
            }),
            _ => None,
        };
        let submission = Submission {
            author,
            target,
            body,
            idempotency_key,
            precondition: precondition.map(|condition| condition.revisions),
        };
        if !is_written {
            let receipt = check(&self.pool, &self.clock, &submission, &self.commands).await?;
            return Ok(Some(proto::Written {
                state: feed::state(receipt.state),
                note: receipt.note.unwrap_or_default(),
                ..proto::Written::default()
            }));
        }
        Ok(Some(written(Box::pin(apply(&self.commands, &submission)).await?)))
    }

    /// Changes the pictures of a listing of an account that has signed in; `revisions` are those
    /// that the listing may have.
    pub(super) async fn change_pictures(
        &self,
        (entity, name): (Entity, String),
        operation: PictureOperation,
        author: Author,
        revisions: Option<Vec<i64>>,
    ) -> Result<Option<proto::Written>, Fault> {
        let target = Target::Pictures(entity, name, operation);
        let submission = Submission {
            author,
            target,
            body: Map::new(),
            idempotency_key: None,
            precondition: revisions,
        };
        Ok(Some(written(Box::pin(apply(&self.commands, &submission)).await?)))
    }
}

fn written(receipt: Receipt) -> proto::Written {
    proto::Written {
        slug: Some(receipt.slug),
        state: feed::state(receipt.state),
        url: receipt.url,
        replayed: receipt.replayed,
        revision: receipt.revision,
        note: receipt.note.unwrap_or_default(),
    }
}

/// Only the gateway calls, so an invalid author is our own error.
fn author(author: &proto::Author) -> Result<Author, Fault> {
    let mode = Mode::try_from(author.mode)?;
    Ok(Author {
        account: parse_uuid("account_id", &author.account_id)?,
        mode,
        writes_per_day: author.writes_per_day,
    })
}

fn parse_body(body: &[u8]) -> Result<Map<String, Value>, Fault> {
    json_body::object(body).map_err(|bad| match bad {
        BadBody::NotAnObject(message) => Fault::new(Code::BadJson, message),
        BadBody::Fields(problems) => Fault::invalid(problems),
    })
}
