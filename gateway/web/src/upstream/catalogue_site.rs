//! catalogue-svc: reads that only the public site needs, for its sitemap and its feed of new games.

use bytes::Bytes;
use contracts::catalogue::v1 as proto;
use contracts::catalogue::v1::site_service_client::SiteServiceClient;
use contracts::public::GameRow;
use kit::{Fault, timestamp};
use time::OffsetDateTime;

use super::call::incomplete;
use super::catalogue::Catalogue;

/// The newest games.
#[derive(Debug, Clone)]
pub struct NewGames {
    /// Rows as in `GET /games`.
    json: Bytes,
    /// When each row changed last.
    pub updated: Vec<OffsetDateTime>,
}

impl NewGames {
    /// The rows, each with the time of its last change.
    pub fn parse(&self) -> Result<Vec<(GameRow, OffsetDateTime)>, Fault> {
        let rows: Vec<GameRow> =
            serde_json::from_slice(&self.json).map_err(|error| Fault::internal(&error))?;
        if rows.len() != self.updated.len() {
            return Err(incomplete());
        }
        Ok(rows.into_iter().zip(self.updated.iter().copied()).collect())
    }

    /// The JSON that the rows are parsed from.
    pub fn json(&self) -> &[u8] {
        &self.json
    }
}

impl Catalogue {
    /// The files of the sitemap.
    pub async fn sitemap_files(&self) -> Result<Vec<proto::SitemapFile>, Fault> {
        let call = async |client, request| {
            SiteServiceClient::new(client)
                .list_sitemap_files(request)
                .await
        };
        let answer = self.read(proto::ListSitemapFilesRequest {}, call).await?;
        Ok(answer.files)
    }

    /// A part of a file of the sitemap. The first part has an empty cursor.
    pub async fn sitemap_part(
        &self,
        (kind, number): (&str, u32),
        cursor: &str,
    ) -> Result<proto::ReadSitemapFileResponse, Fault> {
        let request = proto::ReadSitemapFileRequest {
            kind: kind.to_owned(),
            number,
            cursor: cursor.to_owned(),
        };
        let call = async |client, request| {
            SiteServiceClient::new(client)
                .read_sitemap_file(request)
                .await
        };
        self.read(request, call).await
    }

    /// The newest games; the featured ones are not preferred.
    pub async fn new_games(&self, limit: u32) -> Result<NewGames, Fault> {
        let call =
            async |client, request| SiteServiceClient::new(client).list_new_games(request).await;
        let request = proto::ListNewGamesRequest { limit };
        let answer = self.read(request, call).await?;
        let times = answer.updated_at.into_iter();
        let times = times.map(|at| timestamp::decode(at).ok_or_else(incomplete));
        Ok(NewGames {
            json: answer.json,
            updated: times.collect::<Result<_, _>>()?,
        })
    }
}
