//! Samples of all events.

use pages::webhooks::SamplesPage;

use super::words;
use crate::account::member_request::MemberRequest;
use crate::page_error::PageResult;
use crate::render::ok;
use crate::viewer::Section;

pub async fn show(request: MemberRequest) -> PageResult {
    let types = request.app.webhooks.event_types();
    let (types, shell) = futures::join!(types, request.shell(Section::Webhooks));
    let (types, language) = (types?, request.language());
    let events = types.iter().map(|event| words::event_row(event, language));
    Ok(ok(&SamplesPage {
        shell,
        base: request.webhooks(),
        events: events.collect(),
    }))
}
