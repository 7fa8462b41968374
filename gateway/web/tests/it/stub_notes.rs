//! Notes of visitors in the listings-svc of the test.

use contracts::listings::v1 as proto;
use contracts::listings::v1::notes_service_server::NotesService;
use kit::{Code, Fault};
use tonic::{Request, Response};

use crate::stub_listings::{Answer, StubListings};

/// The only correction.
pub(crate) const NOTE: &str = "019a6f1c-0000-7000-8000-0000000000c0";
/// A network that has sent too many notes.
pub(crate) const LIMITED: &str = "203.0.113.99";

#[tonic::async_trait]
impl NotesService for StubListings {
    async fn create_note(
        &self,
        request: Request<proto::CreateNoteRequest>,
    ) -> Answer<proto::CreateNoteResponse> {
        self.check()?;
        let note = request.into_inner();
        let mut problems = std::collections::BTreeMap::new();
        let is_report = note.note() == proto::NoteKind::Report;
        for (field, is_good) in [
            ("text", !note.text.is_empty()),
            ("form", note.form.len() > 15),
            ("reason", !is_report || note.reason == "rights"),
            ("email", note.email.is_empty() || note.email.contains('@')),
        ] {
            if !is_good {
                problems.insert(field.to_owned(), "Another one.".to_owned());
            }
        }
        if !problems.is_empty() {
            return Err(Fault::invalid(problems).into());
        }
        if note.network == LIMITED {
            let limit = Fault::new(Code::RateLimited, "Later.");
            let limit = Fault {
                retry_after: Some(150),
                ..limit
            };
            return Err(limit.into());
        }
        let mut notes = self.notes.lock().unwrap();
        let is_known = notes.iter().any(|it| it.form == note.form);
        let same = |it: &proto::CreateNoteRequest| {
            (&it.network, it.note, &it.name) == (&note.network, note.note, &note.name)
        };
        let is_duplicate = !is_known && notes.iter().any(same);
        if !is_known && !is_duplicate {
            self.record(format!("note about {}: {}", note.name, note.text));
            notes.push(note);
        }
        let owners = self.owners.lock().unwrap().clone();
        Ok(Response::new(proto::CreateNoteResponse {
            is_duplicate,
            owners: if is_report { Vec::new() } else { owners },
            title: "Okoto".to_owned(),
        }))
    }

    async fn list_own_notes(
        &self,
        request: Request<proto::ListOwnNotesRequest>,
    ) -> Answer<proto::ListOwnNotesResponse> {
        let request = request.into_inner();
        let game = if request.name.is_empty() {
            self.check()?;
            let games = self.games.lock().unwrap();
            let mut own = games.iter().filter(|(key, _)| key.0 == request.account_id);
            own.next().map(|(_, game)| game.clone())
        } else {
            Some(self.find(&request.account_id, &request.name)?)
        };
        let is_closed = self.recorded().iter().any(|it| it.starts_with("close "));
        let note = game.filter(|_| !is_closed).map(|game| proto::ListingNote {
            id: NOTE.to_owned(),
            name: Some(proto::ListingName {
                kind: "game".to_owned(),
                name: game.slug,
                ..proto::ListingName::default()
            }),
            title: self.text(&game.title),
            text: self.text("The <b>year is wrong."),
            email: self.text("reader@new.example"),
            ..proto::ListingNote::default()
        });
        let notes: Vec<_> = note.into_iter().collect();
        Ok(Response::new(proto::ListOwnNotesResponse {
            total: u64::try_from(notes.len()).unwrap(),
            notes,
        }))
    }

    async fn close_own_note(
        &self,
        request: Request<proto::CloseOwnNoteRequest>,
    ) -> Answer<proto::CloseOwnNoteResponse> {
        let request = request.into_inner();
        self.find(&request.account_id, &request.name)?;
        if request.id != NOTE {
            return Err(Fault::not_found("There is no note with this id.").into());
        }
        if request.state() == proto::NoteState::Unspecified {
            return Err(Fault::invalid_field("state", "Give done or dismissed.").into());
        }
        let closed = format!("close {:?}", request.state());
        // As the service does: the first end counts.
        if !self.recorded().iter().any(|it| it.starts_with("close ")) {
            self.record(closed);
        }
        Ok(Response::new(proto::CloseOwnNoteResponse::default()))
    }
}
