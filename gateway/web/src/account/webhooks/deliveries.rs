//! Deliveries to an endpoint, by pages and filters.

use axum::extract::{Path, Query};
use contracts::webhook::v1 as proto;
use kit::{Code, timestamp};
use pages::webhooks::deliveries::{DeliveryListPage, FilterChoice};
use pages::{Field, Fields};
use serde::Deserialize;
use url::form_urlencoded;
use uuid::Uuid;

use super::{endpoint_id, words};
use crate::account::member_request::MemberRequest;
use crate::domain::utc_minute;
use crate::notice::AfterForm;
use crate::page_error::PageResult;
use crate::page_language::PageLanguage;
use crate::render::{FormState, html};
use crate::viewer::Section;

/// Rows of a page.
const ROWS: u32 = 100;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DeliveryQuery {
    state: String,
    event: String,
    since: String,
    until: String,
    cursor: String,
}

impl DeliveryQuery {
    fn filters(&self) -> [(&'static str, &str); 4] {
        [
            ("state", self.state.as_str()),
            ("event", &self.event),
            ("since", &self.since),
            ("until", &self.until),
        ]
    }

    fn is_filtered(&self) -> bool {
        self.filters()
            .iter()
            .any(|(_, value)| !value.trim().is_empty())
    }

    fn request(
        &self,
        account: Uuid,
        endpoint: Uuid,
        language: PageLanguage,
    ) -> Result<proto::ListDeliveriesRequest, Fields> {
        let mut errors = Fields::default();
        let mut time = |field: &str, text: &str| match utc_minute::parse(text) {
            Ok(time) => time,
            Err(key) => {
                errors.add(field, language.say(key));
                None
            }
        };
        let (since, until) = (time("since", &self.since), time("until", &self.until));
        let state = words::STATES
            .iter()
            .find(|(name, _, _)| *name == self.state);
        if state.is_none() && !self.state.is_empty() {
            errors.general = Some(language.say("delivery-no-state").to_owned());
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(proto::ListDeliveriesRequest {
            account_id: account.to_string(),
            endpoint_id: endpoint.to_string(),
            state: state.map_or(0, |(_, state, _)| (*state).into()),
            event: self.event.clone(),
            since: since.map(timestamp::encode),
            until: until.map(timestamp::encode),
            limit: ROWS,
            cursor: self.cursor.clone(),
        })
    }

    /// The query of the next page.
    fn with_cursor(&self, cursor: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let filters = self.filters().into_iter();
        query.extend_pairs(filters.filter(|(_, value)| !value.is_empty()));
        query.append_pair("cursor", cursor).finish()
    }
}

pub async fn show(
    request: MemberRequest,
    Path((_, id)): Path<(Uuid, String)>,
    Query(query): Query<DeliveryQuery>,
    Query(after): Query<AfterForm>,
) -> PageResult {
    let id = endpoint_id(&id)?;
    let (webhooks, account) = (&request.app.webhooks, request.scope.id);
    let language = request.language();
    let deliveries = async {
        let state = match query.request(account, id, language) {
            Ok(request) => match webhooks.deliveries(request).await {
                Ok(listed) => return Ok((FormState::default(), listed)),
                Err(fault) if fault.code == Code::Invalid => {
                    language.refused(&fault, &["event", "since", "until"], &[])
                }
                Err(fault) => return Err(fault),
            },
            Err(errors) => FormState::invalid(errors),
        };
        Ok((state, proto::ListDeliveriesResponse::default()))
    };
    let (endpoint, deliveries, types, mut shell) = futures::join!(
        webhooks.endpoint(account, id),
        deliveries,
        webhooks.event_types(),
        request.shell(Section::Webhooks),
    );
    let (endpoint, (state, listed), types) = (endpoint?, deliveries?, types?);
    let FormState { status, errors } = state.in_language(language.language);
    shell.notice = after.notice();
    let next = Some(&listed.next_cursor).filter(|cursor| !cursor.is_empty());
    let path = format!("{}/deliveries", request.webhook(id));
    let now = request.app.clock.now();
    let page = DeliveryListPage {
        shell,
        base: request.webhooks(),
        id: endpoint.id,
        url: endpoint.url,
        states: words::STATES
            .iter()
            .map(|&(name, _, key)| choice(name, language.say(key), &query.state))
            .collect(),
        events: types
            .iter()
            .map(|event| choice(&event.name, &event.name, &query.event))
            .collect(),
        since: Field::minute("since", language.say("delivery-since"))
            .optional()
            .value(&query.since)
            .error_in(&errors),
        until: Field::minute("until", language.say("delivery-before"))
            .optional()
            .value(&query.until)
            .error_in(&errors),
        is_filtered: query.is_filtered(),
        rows: (listed.deliveries.iter())
            .map(|delivery| words::delivery_row(delivery, now, language))
            .collect(),
        next: next.map(|cursor| format!("{path}?{}", query.with_cursor(cursor))),
        errors,
    };
    Ok(html(status, &page))
}

fn choice(value: &str, label: &str, chosen: &str) -> FilterChoice {
    FilterChoice {
        value: value.to_owned(),
        label: label.to_owned(),
        is_chosen: value == chosen,
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_query_becomes_a_request() {
        let query = DeliveryQuery {
            state: "failed".to_owned(),
            event: "tip.paid".to_owned(),
            since: "2026-11-23T12:00".to_owned(),
            ..DeliveryQuery::default()
        };
        let request = query.request(Uuid::nil(), Uuid::nil(), PageLanguage::default());
        let request = request.unwrap();
        assert_eq!(request.state(), proto::DeliveryState::Failed);
        let since = timestamp::encode(datetime!(2026-11-23 12:00 UTC));
        assert_eq!(request.since, Some(since));
        assert_eq!((request.until, request.limit), (None, 100));
        assert!(query.is_filtered() && !DeliveryQuery::default().is_filtered());
        let next = query.with_cursor("a&b=");
        assert_eq!(
            next,
            "state=failed&event=tip.paid&since=2026-11-23T12%3A00&cursor=a%26b%3D"
        );
    }

    #[test]
    fn every_bad_filter_is_named() {
        let query = DeliveryQuery {
            state: "lost".to_owned(),
            since: "soon".to_owned(),
            until: "later".to_owned(),
            ..DeliveryQuery::default()
        };
        let request = query.request(Uuid::nil(), Uuid::nil(), PageLanguage::default());
        let errors = request.unwrap_err();
        let time = Some("Write the time as 2026-11-23T14:05, in UTC.");
        assert_eq!((errors.of("since"), errors.of("until")), (time, time));
        assert!(errors.general.is_some());
    }
}
