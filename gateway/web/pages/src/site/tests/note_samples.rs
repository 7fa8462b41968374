//! Sample contexts of the forms for visitors.

use askama::Template as _;

use super::part_samples::{HOSTILE, Rendered, frame, link, text};
use crate::field::{Field, Fields};
use crate::input::{Area, Choice, Select};
use crate::site::notes::{NotePage, NoteSentPage, VisitorActions};
use crate::site::{Frame, Language};

pub(super) fn actions() -> VisitorActions {
    VisitorActions {
        claim: Some("/claim/studio".to_owned()),
        correct: "/correct/page/studio".to_owned(),
        report: "/report/page/studio".to_owned(),
        takedown: "/takedown/page/studio?language=fr".to_owned(),
    }
}

fn note(frame: Frame) -> NotePage {
    let choice = Choice {
        value: "rights".to_owned(),
        label: text(),
        is_chosen: true,
    };
    let errors = Fields::one("text", HOSTILE).in_language(frame.texts.language());
    let texts = frame.texts;
    NotePage {
        heading: "note-report-title",
        lead: text(),
        action: "/report/game/kora".to_owned(),
        form: text(),
        reason: Some(Select::new("reason", "Reason", vec![choice])),
        text: Area::new("text", texts.say("note-text-label"))
            .value(HOSTILE)
            .error_in(&errors),
        email: Field::email("email", texts.say("note-email-label"))
            .optional()
            .value(HOSTILE)
            .error_in(&errors),
        problem: Some(text()),
        listing: link("/games/kora"),
        owner: Some("/sign-in".to_owned()),
        frame,
    }
}

pub(super) fn pages(language: Language) -> Vec<Rendered> {
    let sent = NoteSentPage {
        heading: "note-correct-title",
        text: text(),
        listing: link("/games/kora"),
        frame: frame(language),
    };
    vec![
        ("note", note(frame(language)).render()),
        ("note sent", sent.render()),
    ]
}
