//! Published games (§2.2, §4.2). Everything is answered from one state in memory; no call costs SQL.

use std::sync::Arc;

use bytes::Bytes;
use contracts::catalogue::v1::games_service_server::GamesService;
use contracts::catalogue::v1::{
    GetGameRequest, GetGameResponse, ListGamesRequest, ListGamesResponse,
};
use contracts::common::v1::{Form, PageInfo};
use kit::Fault;
use tonic::{Request, Response, Status};

use super::ask::{self, Ask};
use super::typed;
use crate::domain::listing::Mode;
use crate::domain::order::Mark;
use crate::memory::{Catalogue, Page, Row};

/// Answers calls about games.
#[derive(Debug)]
pub struct Games {
    catalogue: Arc<Catalogue>,
}

impl Games {
    /// Answers from `catalogue`.
    pub fn new(catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue }
    }

    fn list(&self, request: ListGamesRequest) -> Result<ListGamesResponse, Fault> {
        let state = self.catalogue.state()?;
        let ask = Ask::read(request, &state)?;
        let page = state.shelf(ask.mode).search(&ask.question);
        let mut response = ListGamesResponse {
            page: Some(info(&page, &ask)?),
            position: Some(state.position.into()),
            ..ListGamesResponse::default()
        };
        match ask.form {
            Form::Json => response.json = join(&page.rows),
            Form::Unspecified => {
                let rows = page.rows.iter().map(|row| typed::row(row));
                response.games = rows
                    .collect::<anyhow::Result<_>>()
                    .map_err(|error| broken(&error))?;
            }
        }
        Ok(response)
    }

    fn get(&self, request: &GetGameRequest) -> Result<GetGameResponse, Fault> {
        let state = self.catalogue.state()?;
        let mode = ask::mode(request.mode).map_err(|why| Fault::invalid_field("mode", why))?;
        let form = ask::form(request.form).map_err(|why| Fault::invalid_field("form", why))?;
        let row = state
            .shelf(mode)
            .get(&request.slug)
            .ok_or_else(|| unknown(mode))?;
        let mut response = GetGameResponse {
            position: Some(state.position.into()),
            ..GetGameResponse::default()
        };
        match form {
            Form::Json => response.json = Bytes::copy_from_slice(row.json()),
            Form::Unspecified => {
                response.game = Some(typed::game(row).map_err(|error| broken(&error))?);
            }
        }
        Ok(response)
    }
}

#[tonic::async_trait]
impl GamesService for Games {
    async fn list_games(
        &self,
        request: Request<ListGamesRequest>,
    ) -> Result<Response<ListGamesResponse>, Status> {
        Ok(Response::new(self.list(request.into_inner())?))
    }

    async fn get_game(
        &self,
        request: Request<GetGameRequest>,
    ) -> Result<Response<GetGameResponse>, Status> {
        Ok(Response::new(self.get(request.get_ref())?))
    }
}

fn info(page: &Page, ask: &Ask) -> Result<PageInfo, Fault> {
    let last = page.rows.last().filter(|_| page.more);
    let next_cursor = last
        .map(|row| ask.binding.encode(&Mark::from(&row.key)))
        .transpose()
        .map_err(|error| Fault::internal(&error))?;
    Ok(PageInfo {
        total: page.total,
        next_cursor,
    })
}

/// The rows as a JSON array, from their bytes as they were rendered.
fn join(rows: &[Arc<Row>]) -> Bytes {
    let length: usize = rows.iter().map(|row| row.row_len() + 1).sum();
    let mut json = Vec::with_capacity(length + 2);
    json.push(b'[');
    for (place, row) in rows.iter().enumerate() {
        if place > 0 {
            json.push(b',');
        }
        row.push_row(&mut json);
    }
    json.push(b']');
    json.into()
}

fn unknown(mode: Mode) -> Fault {
    Fault::not_found(match mode {
        Mode::Live => "no published game has this slug; sample games are for test keys",
        Mode::Test => {
            "no sample game has this slug; a test key sees sample games only, a live key the real ones"
        }
    })
}

/// What is in memory was rendered once, so it can be rendered again, unless something broke.
fn broken(error: &anyhow::Error) -> Fault {
    Fault::internal(error.as_ref())
}
