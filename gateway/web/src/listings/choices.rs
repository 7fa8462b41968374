//! What the forms of listings need of listings-svc, and its refusals at their fields.

use contracts::listings::v1 as proto;
use kit::Fault;

use super::fields::{Input, ListingField, fields};
use super::typed::beside_fields;
use super::words;
use crate::account::effect::refused_form;
use crate::account::member_request::MemberRequest;
use crate::domain::listing_kind::ListingKind;
use crate::english::texts;
use crate::page_error::PageError;
use crate::render::FormState;

/// What a form needs of listings-svc: the values that its fields may have, and the writes of the day.
#[derive(Debug, Default)]
pub(super) struct Choices {
    pub(super) values: proto::ListFieldValuesResponse,
    /// The pages that a game may stand under: handle and name.
    pub(super) creators: Vec<(String, String)>,
    /// The handles of the account's public pages.
    public_pages: Vec<String>,
    /// The account's writes of the day.
    writes_today: u32,
}

impl Choices {
    pub(super) async fn load(request: &MemberRequest) -> Result<Self, Fault> {
        let listings = &request.app.listings;
        let pages = listings.pages(request.scope.id);
        let (values, own) = futures::try_join!(listings.field_values(), pages)?;
        let (mut creators, mut public_pages) = (Vec::new(), Vec::new());
        for page in own.pages {
            let state = page.state();
            if state == proto::State::Published {
                public_pages.push(page.handle.clone());
            }
            if matches!(state, proto::State::Pending | proto::State::Published) {
                creators.push((page.handle, page.name));
            }
        }
        Ok(Self { values, creators, public_pages, writes_today: own.writes_today })
    }

    /// How many writes of the day are left, on the form of a new listing or of the listing `name`. A new page is not one of them, and
    /// neither is a change of a page that is not public.
    pub(super) fn writes_left(
        &self,
        kind: ListingKind,
        name: Option<&str>,
        per_day: Option<u32>,
    ) -> String {
        let is_write = match (kind, name) {
            (ListingKind::Page, None) => false,
            (ListingKind::Page, Some(name)) => self.public_pages.iter().any(|page| page == name),
            (ListingKind::Game | ListingKind::Event, _) => true,
        };
        if is_write { words::writes_left(self.writes_today, per_day) } else { String::new() }
    }

    /// The status and the errors of a refused form of this kind.
    pub(super) fn refusal(&self, kind: ListingKind, fault: Fault) -> Result<FormState, PageError> {
        let names = names(kind, &self.values);
        let fields_of_kind: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut state = refused_form(beside_fields(fault), &fields_of_kind)?;
        for ListingField { name, input, .. } in fields(kind) {
            // The service names values of the API.
            if matches!(input, Input::Select(_)) && state.errors.of(name).is_some() {
                let key = format!("{name}-error");
                let reason = texts().value("field", &key, name);
                state.errors.add(name, reason);
            }
        }
        Ok(state)
    }
}

/// The names of the fields of a form.
fn names(kind: ListingKind, values: &proto::ListFieldValuesResponse) -> Vec<String> {
    let own = fields(kind)
        .into_iter()
        .filter(|field| !matches!(field.input, Input::Links | Input::Shown))
        .map(|field| field.name.to_owned());
    let links = link_keys(kind, values);
    let links = links.iter().map(|key| format!("links.{key}"));
    own.chain(links).collect()
}

/// The kinds of links that a listing may have.
pub(super) fn link_keys(kind: ListingKind, values: &proto::ListFieldValuesResponse) -> &[String] {
    match kind {
        ListingKind::Page => &values.page_links,
        ListingKind::Game => &values.game_links,
        ListingKind::Event => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_select_is_in_words() {
        let reasons = [
            ("stage", "It must be in_development, early_access or released."),
            ("country_code", "Write the country's two letters, such as NG."),
        ];
        let reasons = reasons.map(|(field, reason)| (field.to_owned(), reason.to_owned()));
        let fault = Fault::invalid(reasons.into());
        let refused = Choices::default().refusal(ListingKind::Game, fault);
        assert_eq!(refused.unwrap().errors.of("stage"), Some("Choose a stage."));
    }
}
