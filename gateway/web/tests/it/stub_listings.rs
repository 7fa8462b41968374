//! A stub of listings-svc that keeps games, claims and pictures in memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use contracts::common::v1::{Ended, PageInfo};
use contracts::listings::v1 as proto;
use contracts::listings::v1::events_service_server::{EventsService, EventsServiceServer};
use contracts::listings::v1::games_service_server::{GamesService, GamesServiceServer};
use contracts::listings::v1::get_own_listing_response::Listing;
use contracts::listings::v1::own_listings_service_server::{
    OwnListingsService, OwnListingsServiceServer,
};
use contracts::listings::v1::own_pictures_service_server::OwnPicturesServiceServer;
use contracts::listings::v1::pages_service_server::PagesServiceServer;
use contracts::listings::v1::picture_service_server::PictureServiceServer;
use contracts::public::{OwnListing, OwnListingEnded, Timestamp};
use kit::api::timestamp;
use kit::{Code, Fault};
use serde_json::Value;
use tonic::service::RoutesBuilder;
use tonic::{Request, Response, Status};

use crate::support::START;

#[derive(Debug, Clone, Default)]
pub(crate) struct StubListings {
    /// Games by account and slug.
    pub(crate) games: Arc<Mutex<BTreeMap<(String, String), proto::Game>>>,
    /// The recorded changes, in words.
    pub(crate) calls: Arc<Mutex<Vec<String>>>,
    /// The slug that each form has submitted.
    submitted: Arc<Mutex<BTreeMap<String, String>>>,
    pub(crate) is_down: Arc<AtomicBool>,
    /// The text of every field that a studio or staff fill.
    pub(crate) words: Arc<Mutex<Option<String>>>,
    /// Whether lists of an account's listings have a second page: the first one has one listing.
    pub(crate) has_more: Arc<AtomicBool>,
    /// Why a game is not visible to the public.
    pub(crate) note: Arc<Mutex<Option<String>>>,
    /// Seconds until the next upload, when the uploads of the day are used up.
    pub(crate) upload_wait: Arc<Mutex<Option<u32>>>,
    /// How many changes of a game find that somebody else has just changed it.
    pub(crate) changes_meanwhile: Arc<AtomicU32>,
    /// Who ended games, by account and slug.
    pub(crate) ended: Arc<Mutex<BTreeMap<(String, String), Ended>>>,
    /// The last rejections of games by staff, by account and slug.
    pub(crate) rejections: Arc<Mutex<BTreeMap<(String, String), Ended>>>,
    /// Whether accounts have no page.
    pub(crate) has_no_pages: Arc<AtomicBool>,
    /// The claims of every account.
    pub(crate) claims: Arc<Mutex<Vec<proto::Claim>>>,
    /// The recorded reads of parts of pictures.
    pub(crate) pictures_read: Arc<Mutex<Vec<proto::GetPictureRequest>>>,
}

pub(crate) type Answer<T> = Result<Response<T>, Status>;

impl StubListings {
    pub(crate) fn add_to(&self, services: &mut RoutesBuilder) {
        services
            .add_service(OwnListingsServiceServer::new(self.clone()))
            .add_service(PagesServiceServer::new(self.clone()))
            .add_service(GamesServiceServer::new(self.clone()))
            .add_service(EventsServiceServer::new(self.clone()))
            .add_service(OwnPicturesServiceServer::new(self.clone()))
            .add_service(PictureServiceServer::new(self.clone()));
    }

    /// Adds a public game of an account.
    pub(crate) fn game(&self, account: &str, slug: &str, title: &str) {
        let mut game = proto::Game {
            slug: slug.to_owned(),
            title: title.to_owned(),
            genres: vec!["puzzle".to_owned()],
            revision: 1,
            release_year: 2026,
            visible: true,
            ..proto::Game::default()
        };
        game.set_state(proto::State::Published);
        self.games.lock().unwrap().insert((account.to_owned(), slug.to_owned()), game);
    }

    pub(crate) fn change(&self, account: &str, slug: &str, change: impl FnOnce(&mut proto::Game)) {
        let mut games = self.games.lock().unwrap();
        change(games.get_mut(&(account.to_owned(), slug.to_owned())).unwrap());
    }

    /// Approves a game, as staff do.
    pub(crate) fn approve(&self, account: &str, slug: &str) {
        self.change(account, slug, |game| {
            game.set_state(proto::State::Published);
            game.revision += 1;
        });
    }

    /// Rejects a game or takes it down, as staff do.
    pub(crate) fn end_by_staff(
        &self,
        account: &str,
        slug: &str,
        state: proto::State,
        reason: &str,
    ) {
        let by_staff = Ended {
            at: Some(timestamp::encode(START)),
            reason: reason.to_owned(),
            ..Ended::default()
        };
        self.end((account, slug), state, by_staff);
    }

    fn end(&self, (account, slug): (&str, &str), state: proto::State, ended: Ended) {
        self.change(account, slug, |game| {
            game.set_state(state);
            game.revision += 1;
        });
        let key = (account.to_owned(), slug.to_owned());
        if state == proto::State::Rejected && ended.by_account.is_empty() {
            self.rejections.lock().unwrap().insert(key.clone(), ended.clone());
        }
        self.ended.lock().unwrap().insert(key, ended);
    }

    /// Who ended a game, while it is ended. A game whose state a test has set was ended by staff.
    fn ended_of(&self, account: &str, game: &proto::Game) -> Option<Ended> {
        if !matches!(game.state(), proto::State::Rejected | proto::State::Removed) {
            return None;
        }
        let key = (account.to_owned(), game.slug.clone());
        let mut ended = self.ended.lock().unwrap().get(&key).cloned().unwrap_or_else(|| Ended {
            at: Some(timestamp::encode(START)),
            reason: "Too <b>short".to_owned(),
            ..Ended::default()
        });
        ended.reason = self.text(&ended.reason);
        Some(ended)
    }

    /// What an account does to a game, with the rules of the service: from these states to another,
    /// for the revision that the person saw. False: it was done before.
    fn end_by_account(
        &self,
        (account, slug, revision): (&str, &str, i64),
        from: &[proto::State],
        to: proto::State,
    ) -> Result<bool, Status> {
        let game = self.find(account, slug)?;
        let by = self.ended_of(account, &game).map(|ended| ended.by_account);
        if game.state() == to && by.is_some_and(|by| !by.is_empty()) {
            return Ok(false);
        }
        if !from.contains(&game.state()) || game.revision != revision {
            let text = format!("It is at revision {} meanwhile.", game.revision);
            return Err(Fault::new(Code::PreconditionFailed, text).into());
        }
        let ended = Ended {
            by_account: account.to_owned(),
            at: Some(timestamp::encode(START)),
            reason: String::new(),
        };
        self.end((account, slug), to, ended);
        Ok(true)
    }

    pub(crate) fn check(&self) -> Result<(), Status> {
        if self.is_down.load(Ordering::Relaxed) {
            return Err(Fault::unavailable("the listings of the test").into());
        }
        Ok(())
    }

    /// The text of a field: that of the test, or `usual`.
    pub(crate) fn text(&self, usual: &str) -> String {
        self.all_words().unwrap_or_else(|| usual.to_owned())
    }

    pub(crate) fn all_words(&self) -> Option<String> {
        self.words.lock().unwrap().clone()
    }

    fn note(&self) -> Option<String> {
        let note = self.note.lock().unwrap().clone();
        note.or_else(|| self.all_words())
    }

    pub(crate) fn record(&self, what: String) {
        self.calls.lock().unwrap().push(what);
    }

    pub(crate) fn recorded(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    pub(crate) fn find(&self, account: &str, slug: &str) -> Result<proto::Game, Status> {
        self.check()?;
        let games = self.games.lock().unwrap();
        let found = games.get(&(account.to_owned(), slug.to_owned())).cloned();
        found.ok_or_else(|| Fault::not_found("No listing of yours has this name.").into())
    }
}

fn written(game: &proto::Game) -> proto::Written {
    proto::Written {
        slug: Some(game.slug.clone()),
        state: game.state,
        revision: game.revision,
        ..proto::Written::default()
    }
}

#[tonic::async_trait]
impl OwnListingsService for StubListings {
    async fn list_own_listings(
        &self,
        request: Request<proto::ListOwnListingsRequest>,
    ) -> Answer<proto::ListOwnListingsResponse> {
        self.check()?;
        let request = request.into_inner();
        let account = request.account_id;
        let games = self.games.lock().unwrap();
        let own = games.iter().filter(|((owner, _), _)| *owner == account);
        let rows = own.map(|(_, game)| {
            let ended = self.ended_of(&account, game);
            OwnListing {
                kind: "game".to_owned(),
                slug: game.slug.clone(),
                title: game.title.clone(),
                status: match game.state() {
                    proto::State::Rejected => "rejected",
                    proto::State::Removed => "removed",
                    proto::State::Pending => "pending",
                    proto::State::Published => "published",
                    // A state of a newer version.
                    proto::State::Unspecified => "frozen",
                }
                .to_owned(),
                reason: ended.as_ref().map(|it| it.reason.clone()).filter(|it| !it.is_empty()),
                ended: ended.map(|ended| OwnListingEnded {
                    by: if ended.by_account.is_empty() { "staff" } else { "account" }.to_owned(),
                    at: Timestamp(timestamp::decode(ended.at.unwrap()).unwrap()),
                }),
                note: self.note(),
                url: format!("https://mchezo.example/games/{}", game.slug),
                created_at: Timestamp(START),
                updated_at: Timestamp(START),
            }
        });
        let mut rows: Vec<OwnListing> = rows.collect();
        let is_second = request.page.is_some_and(|page| page.cursor == "more");
        let has_more = self.has_more.load(Ordering::Relaxed) && !is_second;
        if is_second {
            rows.remove(0);
        } else if has_more {
            rows.truncate(1);
        }
        Ok(Response::new(proto::ListOwnListingsResponse {
            json: serde_json::to_vec(&rows).unwrap().into(),
            page: has_more
                .then(|| PageInfo { next_cursor: Some("more".to_owned()), ..PageInfo::default() }),
        }))
    }

    async fn get_own_listing(
        &self,
        request: Request<proto::GetOwnListingRequest>,
    ) -> Answer<proto::GetOwnListingResponse> {
        let request = request.into_inner();
        if request.kind != "game" {
            return Err(Fault::not_found("No listing of yours has this name.").into());
        }
        let game = self.find(&request.account_id, &request.name)?;
        let ended = self.ended_of(&request.account_id, &game);
        let is_withdrawn = game.state() == proto::State::Rejected
            && ended.as_ref().is_some_and(|ended| !ended.by_account.is_empty());
        let key = (request.account_id, request.name);
        let rejection = self.rejections.lock().unwrap().get(&key).cloned();
        Ok(Response::new(proto::GetOwnListingResponse {
            listing: Some(Listing::Game(game)),
            creator: "studio".to_owned(),
            ended,
            rejection: rejection.filter(|_| is_withdrawn),
            note: self.note().unwrap_or_default(),
            writes_today: 7,
        }))
    }

    async fn take_down_listing(
        &self,
        request: Request<proto::TakeDownListingRequest>,
    ) -> Answer<proto::TakeDownListingResponse> {
        let request = request.into_inner();
        let seen = (&*request.account_id, &*request.name, request.revision);
        let changed =
            self.end_by_account(seen, &[proto::State::Published], proto::State::Removed)?;
        if changed {
            self.record(format!("take down {}", request.name));
        }
        Ok(Response::new(proto::TakeDownListingResponse { changed }))
    }

    async fn withdraw_listing(
        &self,
        request: Request<proto::WithdrawListingRequest>,
    ) -> Answer<proto::WithdrawListingResponse> {
        let request = request.into_inner();
        let seen = (&*request.account_id, &*request.name, request.revision);
        let from = [proto::State::Pending, proto::State::Rejected];
        let changed = self.end_by_account(seen, &from, proto::State::Rejected)?;
        if changed {
            self.record(format!("withdraw {}", request.name));
        }
        Ok(Response::new(proto::WithdrawListingResponse { changed }))
    }

    async fn list_field_values(
        &self,
        _: Request<proto::ListFieldValuesRequest>,
    ) -> Answer<proto::ListFieldValuesResponse> {
        self.check()?;
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Ok(Response::new(proto::ListFieldValuesResponse {
            genres: vec![proto::Genre { key: "puzzle".to_owned(), name: self.text("Puzzle") }],
            countries: vec![proto::Country { code: "NG".to_owned(), name: self.text("Nigeria") }],
            platforms: texts(&["web"]),
            stages: texts(&["in_development", "released"]),
            page_kinds: texts(&["studio", "person"]),
            event_kinds: texts(&["jam"]),
            game_links: texts(&["play"]),
            page_links: texts(&["website"]),
        }))
    }
}

#[tonic::async_trait]
impl GamesService for StubListings {
    async fn create_game(
        &self,
        request: Request<proto::CreateGameRequest>,
    ) -> Answer<proto::CreateGameResponse> {
        self.check()?;
        let writing = request.into_inner().writing.unwrap();
        let body: Value = serde_json::from_slice(&writing.body).unwrap();
        let title = body["title"].as_str().unwrap().to_owned();
        if title.is_empty() {
            let reasons = [("title", "Give a title."), ("genres.0", "No such genre.")];
            let reasons = reasons.map(|(field, reason)| (field.to_owned(), reason.to_owned()));
            return Err(Fault::invalid(reasons.into()).into());
        }
        if writing.dry_run {
            return Ok(Response::new(proto::CreateGameResponse {
                written: Some(proto::Written::default()),
            }));
        }
        let mut submitted = self.submitted.lock().unwrap();
        let first = submitted.entry(writing.idempotency_key).or_insert_with(|| title.clone());
        if *first != title {
            return Err(Fault::new(Code::IdempotencyMismatch, "Another body.").into());
        }
        let account = writing.author.unwrap().account_id;
        self.game(&account, "new-game", &title);
        let games = self.games.lock().unwrap();
        Ok(Response::new(proto::CreateGameResponse {
            written: Some(written(&games[&(account, "new-game".to_owned())])),
        }))
    }

    async fn update_game(
        &self,
        request: Request<proto::UpdateGameRequest>,
    ) -> Answer<proto::UpdateGameResponse> {
        let request = request.into_inner();
        let writing = request.writing.unwrap();
        let account = writing.author.unwrap().account_id;
        let meanwhile = &self.changes_meanwhile;
        let left = |left: u32| left.checked_sub(1);
        if meanwhile.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok() {
            self.change(&account, &request.slug, |game| game.revision += 1);
        }
        let game = self.find(&account, &request.slug)?;
        if !request.precondition.unwrap().revisions.contains(&game.revision) {
            return Err(Fault::new(Code::PreconditionFailed, "It has changed.").into());
        }
        let body: Value = serde_json::from_slice(&writing.body).unwrap();
        let title = body.get("title").and_then(Value::as_str);
        if title == Some("") {
            return Err(Fault::invalid_field("title", "Give a title.").into());
        }
        if body["credits"][0]["handle"] == "nobody" {
            let reason = "There is no public page with this handle.";
            return Err(Fault::invalid_field("credits.0.handle", reason).into());
        }
        let mut answer = written(&game);
        answer.note = self.note().unwrap_or_default();
        if let Some(title) = title
            && !writing.dry_run
        {
            self.record(format!("update {} {body}", request.slug));
            self.change(&account, &request.slug, |game| {
                title.clone_into(&mut game.title);
                game.revision += 1;
            });
        }
        Ok(Response::new(proto::UpdateGameResponse { written: Some(answer) }))
    }
}

#[tonic::async_trait]
impl EventsService for StubListings {
    async fn create_event(
        &self,
        _: Request<proto::CreateEventRequest>,
    ) -> Answer<proto::CreateEventResponse> {
        Err(Fault::invalid_field("city", "Give a city.").into())
    }

    async fn update_event(
        &self,
        _: Request<proto::UpdateEventRequest>,
    ) -> Answer<proto::UpdateEventResponse> {
        Err(Fault::not_found("No event of yours has this slug.").into())
    }
}
