//! `ListGames` as most would write it: a query for the rows of the page and one for the total, over a pool of connections.

use contracts::catalogue::v1::games_service_server::{GamesService, GamesServiceServer};
use contracts::catalogue::v1::{
    GetGameRequest, GetGameResponse, ListGamesRequest, ListGamesResponse,
};
use contracts::common::v1::PageInfo;
use contracts::public::{GameCreator, GameRow, Timestamp};
use sqlx::postgres::{PgPoolOptions, PgRow};
use sqlx::{PgPool, Postgres, QueryBuilder, Row as _};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use super::WITH_TOTAL;

const CONNECTIONS: u32 = 8;
const ROWS: usize = 20;

pub(crate) async fn serve(listen: &str, database_url: &str, total: &str) {
    let pool = PgPoolOptions::new().max_connections(CONNECTIONS);
    let games = Games {
        pool: pool.connect(database_url).await.unwrap(),
        with_total: total == WITH_TOTAL,
    };
    let listener = TcpListener::bind(listen).await.unwrap();
    Server::builder()
        .add_service(GamesServiceServer::new(games))
        .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)))
        .await
        .unwrap();
}

struct Games {
    pool: PgPool,
    with_total: bool,
}

#[tonic::async_trait]
impl GamesService for Games {
    async fn list_games(
        &self,
        request: Request<ListGamesRequest>,
    ) -> Result<Response<ListGamesResponse>, Status> {
        let listed = self.list(&request.into_inner()).await;
        #[expect(
            clippy::disallowed_methods,
            reason = "plain on purpose: nothing of the kit"
        )]
        listed
            .map(Response::new)
            .map_err(|error| Status::internal(error.to_string()))
    }

    async fn get_game(
        &self,
        _: Request<GetGameRequest>,
    ) -> Result<Response<GetGameResponse>, Status> {
        Ok(Response::new(GetGameResponse::default()))
    }
}

impl Games {
    async fn list(&self, request: &ListGamesRequest) -> anyhow::Result<ListGamesResponse> {
        let mut page = QueryBuilder::new(
            "select slug, title, tagline, cover_url, genres, platforms, stage, release_year, featured, creator_handle, creator_name,
                 country_code, city, url, created_at
             from plain.game where true",
        );
        push_filters(&mut page, request);
        page.push(" order by featured desc, created_at desc, slug limit ");
        page.push_bind(i64::try_from(ROWS + 1)?);
        let rows = page.build().fetch_all(&self.pool).await?;
        let more = rows.len() > ROWS;
        let rows = rows.iter().take(ROWS).map(game_row);
        let rows: Vec<GameRow> = rows.collect::<Result<_, _>>()?;
        let mut total = 0;
        if self.with_total {
            let mut count = QueryBuilder::new("select count(*) from plain.game where true");
            push_filters(&mut count, request);
            total = count
                .build_query_scalar::<i64>()
                .fetch_one(&self.pool)
                .await?;
        }
        Ok(ListGamesResponse {
            json: serde_json::to_vec(&rows)?.into(),
            page: Some(PageInfo {
                total: total.cast_unsigned(),
                next_cursor: rows.last().filter(|_| more).map(|row| row.slug.clone()),
            }),
            ..ListGamesResponse::default()
        })
    }
}

fn push_filters(query: &mut QueryBuilder<Postgres>, request: &ListGamesRequest) {
    if let Some(genre) = &request.genre {
        query.push(" and genres @> array[");
        query.push_bind(genre.clone()).push("]");
    }
    if let Some(platform) = &request.platform {
        query.push(" and platforms @> array[");
        query.push_bind(platform.clone()).push("]");
    }
    if let Some(country) = &request.country {
        query.push(" and country_code = ");
        query.push_bind(country.clone());
    }
}

fn game_row(row: &PgRow) -> Result<GameRow, sqlx::Error> {
    Ok(GameRow {
        slug: row.try_get("slug")?,
        title: row.try_get("title")?,
        tagline: row.try_get("tagline")?,
        cover_url: row.try_get("cover_url")?,
        genres: row.try_get("genres")?,
        platforms: row.try_get("platforms")?,
        stage: row.try_get("stage")?,
        release_year: row.try_get("release_year")?,
        featured: row.try_get("featured")?,
        creator: GameCreator {
            handle: row.try_get("creator_handle")?,
            name: row.try_get("creator_name")?,
        },
        country_code: row.try_get("country_code")?,
        city: row.try_get("city")?,
        url: row.try_get("url")?,
        created_at: Timestamp(row.try_get("created_at")?),
    })
}
