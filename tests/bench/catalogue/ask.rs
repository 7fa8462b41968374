//! Requests to catalogue-svc over gRPC, and their latency.

use std::time::{Duration, Instant};

use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::search_service_client::SearchServiceClient;
use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest, SearchRequest};
use contracts::common::v1::{Mode, PageRequest};
use contracts::public::GameRow;
use e2e::Fleet;
use kit::rpc::client::Client as Channel;

use super::generate::{Dice, Generator, slug};

/// The position of the deep page.
const DEEP: usize = 20_000;
/// The page size on the way to the deep page.
const LONG_PAGE: u32 = 100;
/// The number of games whose words are searched for.
const SAMPLE: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    FirstPage,
    DeepPage,
    ThreeFilters,
    RareFilter,
    OneGame,
    TwoWords,
    SearchTwoWords,
}

impl Question {
    /// Each question with its name and its limit: the p99 with a million games divided by that with 26,000.
    pub(super) const ALL: [(Self, &'static str, &'static str); 7] = [
        (Self::FirstPage, "first page", "1.1"),
        (Self::DeepPage, "page at row 20,000", "1.1"),
        (Self::ThreeFilters, "genre, platform and country", "1.75"),
        (
            Self::RareFilter,
            "a genre that one game in a thousand has",
            "1.1",
        ),
        (Self::OneGame, "one game", "1.1"),
        (Self::TwoWords, "q of two words of a game", "4"),
        (Self::SearchTwoWords, "/search of two words", "5"),
    ];
}

#[derive(Debug, Clone)]
pub(super) struct CatalogueClient {
    games: GamesServiceClient<Channel>,
    search: SearchServiceClient<Channel>,
    generator: Generator,
    /// The cursor of the page at row 20,000.
    deep: String,
    /// Queries of two words, each from one game.
    words: Vec<String>,
    dice: Dice,
}

impl CatalogueClient {
    /// A client of the catalogue-svc of `fleet`, which was filled by `generator`.
    pub(super) async fn of(fleet: &Fleet, generator: &Generator) -> Self {
        let channel = fleet.rpc_client("catalogue-svc").await;
        let mut client = Self {
            games: GamesServiceClient::new(channel.clone()),
            search: SearchServiceClient::new(channel),
            generator: generator.clone(),
            deep: String::new(),
            words: Vec::new(),
            dice: Dice(11),
        };
        for _ in 0..DEEP / LONG_PAGE as usize {
            let mut request = Self::list();
            request.page = Some(PageRequest {
                limit: LONG_PAGE,
                cursor: std::mem::take(&mut client.deep),
            });
            let answer = client.games.list_games(request).await.unwrap();
            client.deep = answer.into_inner().page.unwrap().next_cursor.unwrap();
        }
        for _ in 0..SAMPLE {
            let request = client.one();
            let game = client.games.get_game(request).await.unwrap().into_inner();
            let row: GameRow = serde_json::from_slice(&game.json).unwrap();
            let [of_title, of_tagline] = [row.title, row.tagline].map(|text| {
                let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
                client.dice.pick(&words).to_owned()
            });
            client.words.push(format!("{of_title} {of_tagline}"));
        }
        client
    }

    fn list() -> ListGamesRequest {
        ListGamesRequest {
            mode: Mode::Live.into(),
            ..ListGamesRequest::default()
        }
    }

    fn one(&mut self) -> GetGameRequest {
        GetGameRequest {
            mode: Mode::Live.into(),
            slug: slug(self.dice.roll(self.generator.games())),
            ..GetGameRequest::default()
        }
    }

    fn words(&mut self) -> String {
        self.dice.pick(&self.words).to_owned()
    }

    /// Sends a request of this kind; returns its latency.
    pub(super) async fn time(&mut self, question: Question) -> Duration {
        let start = Instant::now();
        let list = match question {
            Question::OneGame => {
                let request = self.one();
                self.games.get_game(request).await.unwrap();
                return start.elapsed();
            }
            Question::SearchTwoWords => {
                let request = SearchRequest {
                    mode: Mode::Live.into(),
                    q: self.words(),
                    ..SearchRequest::default()
                };
                self.search.search(request).await.unwrap();
                return start.elapsed();
            }
            Question::FirstPage => Self::list(),
            Question::DeepPage => {
                let (limit, cursor) = (20, self.deep.clone());
                ListGamesRequest {
                    page: Some(PageRequest { limit, cursor }),
                    ..Self::list()
                }
            }
            Question::ThreeFilters => {
                let usual = self.generator.genres.len() - 1;
                ListGamesRequest {
                    genre: Some(self.dice.pick(&self.generator.genres[..usual]).to_owned()),
                    platform: Some("android".to_owned()),
                    country: Some(self.dice.pick(&self.generator.countries).to_owned()),
                    ..Self::list()
                }
            }
            Question::RareFilter => ListGamesRequest {
                genre: Some(self.generator.rare_genre().to_owned()),
                ..Self::list()
            },
            Question::TwoWords => ListGamesRequest {
                q: Some(self.words()),
                ..Self::list()
            },
        };
        self.games.list_games(list).await.unwrap();
        start.elapsed()
    }
}
