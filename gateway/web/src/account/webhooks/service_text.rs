//! Texts of webhook-svc in the language of the page. Those with words that web does not know stay in English.

use contracts::webhook::v1 as proto;
use pages::service_sentence::translate;
use pages::webhooks::{AddressCheck, ServiceText};

use crate::page_language::PageLanguage;

/// Why an attempt failed, a delivery was cancelled, an address was switched off or a rule has not passed; or what an address has answered.
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
    let name = event.name.replace('.', "-");
    value("webhook-when", &name, &event.description, language)
}

/// What a rule asks of a receiver.
pub(super) fn rule(finding: &proto::RuleFinding, language: PageLanguage) -> ServiceText {
    let number = finding.rule.to_string();
    value("check-rule", &number, &finding.title, language)
}

/// What only the owner can see of a rule.
pub(super) fn unseen(finding: &proto::RuleFinding, language: PageLanguage) -> Option<ServiceText> {
    let number = finding.rule.to_string();
    let unseen = Some(&finding.unseen).filter(|unseen| !unseen.is_empty())?;
    Some(value("check-unseen", &number, unseen, language))
}

/// What is special about a message of the check.
pub(super) fn probe(title: &str, language: PageLanguage) -> ServiceText {
    value("check-probe", &key_of(title), title, language)
}

/// A text whose key ends with a value.
fn value(group: &str, value: &str, english: &str, language: PageLanguage) -> ServiceText {
    let found = language.texts().find(&format!("{group}-{value}"));
    ServiceText::new(language.language, found.map(ToOwned::to_owned), english)
}

/// The words of a title with dashes between them: `a-text-that-is-not-JSON`.
fn key_of(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use pages::site::Language;
    use strum::VariantArray as _;
    use time::macros::datetime;
    use uuid::Uuid;
    use webhook::domain::event::Event;
    use webhook::domain::health::Notice;
    use webhook::domain::receiver_check::Rule;

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
            "The receiver did not answer a plain ping. See rule 5 first.",
            "The receiver answers too slowly to check this in time. See rule 5 first.",
            "It answered 401 to a message that is signed correctly. Give it the secret of this endpoint, all of it with its prefix; rotate the secret if it is lost.",
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
        let unchecked = Rule::RawBody.judge(Vec::new(), 1).reason;
        assert_known(&unchecked, |language| reason(&unchecked, language));
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
            "It answered 200 instead of 401 to a message without a signature.",
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

    #[test]
    fn every_rule_and_message_of_the_check_is_translated() {
        let now = datetime!(2026-11-23 12:00 UTC);
        for known in Rule::VARIANTS {
            let finding = proto::RuleFinding {
                rule: known.number(),
                title: known.title().to_owned(),
                unseen: known.unseen().to_owned(),
                ..proto::RuleFinding::default()
            };
            assert_known(known.title(), |language| rule(&finding, language));
            if !known.unseen().is_empty() {
                assert_known(known.unseen(), |language| {
                    unseen(&finding, language).unwrap()
                });
            }
            for message in known.messages(now, Uuid::nil) {
                let title = message.probe.name;
                assert_known(title, |language| probe(title, language));
            }
        }
        let newer = probe("a message from the future", FRENCH);
        assert!(!newer.is_translated);
    }
}
