//! Texts of webhook-svc in the language of the page. Those with words that web does not know stay in English.

use contracts::webhook::v1 as proto;
use pages::service_sentence::translate;
use pages::webhooks::{AddressCheck, ServiceText};

use crate::page_language::PageLanguage;

/// Why an attempt failed, a delivery was cancelled or an address was switched off; or what an address has answered.
pub(in crate::account) fn reason(english: &str, language: PageLanguage) -> ServiceText {
    let translation = translate(english, language.language);
    ServiceText::new(language.language, translation, english)
}

/// What came of the request to an address when it was entered; `None`: it was entered before addresses were called.
pub(super) fn address_check(english: &str, language: PageLanguage) -> Option<AddressCheck> {
    (!english.is_empty()).then(|| AddressCheck {
        result: reason(english, language),
        // webhook-svc begins every answer like this.
        has_answered: english.starts_with("answered "),
    })
}

/// When an event is sent.
pub(super) fn event(event: &proto::EventType, language: PageLanguage) -> ServiceText {
    let key = format!("webhook-when-{}", event.name.replace('.', "-"));
    let found = language.texts().find(&key);
    ServiceText::new(
        language.language,
        found.map(ToOwned::to_owned),
        &event.description,
    )
}

#[cfg(test)]
mod tests {
    use pages::site::Language;
    use strum::VariantArray as _;
    use webhook::domain::event::Event;
    use webhook::domain::health::Notice;

    use super::*;

    const ENGLISH: PageLanguage = PageLanguage {
        language: Language::English,
        prefix: "",
    };
    const FRENCH: PageLanguage = PageLanguage {
        language: Language::French,
        prefix: "",
    };

    /// The English text is that of webhook-svc, and there is a French one.
    fn assert_known(english: &str, text: impl Fn(PageLanguage) -> ServiceText) {
        assert_eq!(text(ENGLISH).text, english);
        let french = text(FRENCH);
        assert!(french.is_translated, "{english}");
        assert_ne!(french.text, english);
    }

    #[test]
    fn the_reasons_of_webhook_svc_are_translated() {
        for english in [
            "refused the connection",
            "did not accept a connection in time",
            "closed the connection before it answered",
            "closed the connection before the request was sent",
            "its answer is not HTTP",
            "the head of its answer is too large",
            "TLS certificate is not valid: it has expired",
            "TLS certificate is not valid: it is not valid yet",
            "TLS certificate is not valid: it is for another name",
            "TLS certificate is not valid: it is self-signed, or a certificate between it and its authority is missing",
            "TLS certificate is not valid: its authority has not signed it",
            "TLS certificate is not valid: it was revoked",
            "has a signing secret that we cannot read any more: make a new secret, and switch to it",
            "The listing is no longer published.",
            "The account's plan has only test events.",
            "Deliveries failed for days. Repair the endpoint, then resume it.",
            "The endpoint answered 410 Gone.",
            "answered 401",
            "answered 301, which redirects to https://a.example/<b>: redirects are not followed",
            "did not answer within 8 seconds",
            "did not answer within 2.5 seconds",
            "a.example does not resolve to a public address",
            "could not resolve the name a.example",
        ] {
            assert_known(english, |language| reason(english, language));
        }
        let switched_off = [Notice::DisabledAfterFailures, Notice::DisabledByGone];
        for notice in switched_off {
            let english = notice.reason().unwrap();
            assert_known(english, |language| reason(english, language));
        }
        assert_eq!(
            reason("did not answer within 2.5 seconds", FRENCH).text,
            "n’a pas répondu en 2,5\u{a0}s"
        );
    }

    #[test]
    fn a_reason_with_other_words_stays_in_english() {
        for english in [
            "TLS failed: no protocol in common",
            "did not answer within 8 seconds; before that it closed the connection",
            "did not answer within some seconds",
            "answered slowly",
        ] {
            let french = reason(english, FRENCH);
            assert_eq!(french.text, english);
            assert!(!french.is_translated, "{english}");
        }
        assert!(reason("", FRENCH).is_translated);
    }

    #[test]
    fn every_event_is_translated() {
        for known in Event::VARIANTS {
            let description = known.description();
            let sent = proto::EventType {
                name: known.as_str().to_owned(),
                description: description.to_owned(),
                ..proto::EventType::default()
            };
            assert_known(description, |language| event(&sent, language));
        }
    }
}
