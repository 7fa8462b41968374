//! The numbers in the guides equal those of the code. Settings of the gateway are filled in (`settings.rs`); for other settings the guides state the
//! defaults, and say that they are defaults.

use ::economy::Settings as Economy;
use ::economy::domain::basket::{MEALS, RENTS, RIDES, WAGES};
use ::economy::domain::market::{MIN_PARTIES, MIN_SWAPS};
use ::economy::jobs::retention::PLAYERS_KEPT;
use ::listings::config::Settings as Listings;
use clap::Args;
use gateway::domain::owner_limits::{NEW_KEYS, TEST_KEYS};
use gateway::overload::request_limits::MAX_BODY;
use kit::api::page::Limits;
use web::docs::guides::{GuideAddresses, Guides};
use webhook::Settings as Webhooks;

/// Asserts the default of a setting, and that a guide states it.
fn assert_usual<S: Args>(setting: &str, value: &str, page: &str, sentence: &str) {
    let command = S::augment_args(clap::Command::new("service"));
    let mut arguments = command.get_arguments();
    let argument = arguments.find(|it| it.get_id().as_str() == setting);
    assert_eq!(argument.unwrap().get_default_values(), [value], "{setting}");
    assert_says(page, sentence);
}

/// Asserts that a guide has a sentence, ignoring line breaks.
fn assert_says(page: &str, sentence: &str) {
    let guides = Guides::read(&GuideAddresses::default(), None).unwrap();
    let text = &guides.find(page).unwrap().markdown;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(sentence), "{page}: {sentence}");
}

#[test]
fn guides_state_the_defaults_of_settings() {
    let waits = "1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours";
    assert_usual::<Listings>("max_pending", "10", "limits", "account: 10 |");
    assert_usual::<Listings>("max_pending", "10", "writing", "10 submissions in review");
    assert_usual::<Economy>("most_jump", "50", "economy", "changed by more than 50 %");
    assert_usual::<Economy>("report_interval", "60", "economy", "at least an hour apart");
    assert_usual::<Economy>("report_interval", "60", "limits", "| one an hour |");
    assert_usual::<Economy>("late_after", "7", "economy", "report for seven days");
    assert_usual::<Webhooks>("answer_timeout", "8", "webhooks", "A 2xx within 8 seconds");
    assert_usual::<Webhooks>("answer_timeout", "8", "limits", "to respond | 8 seconds |");
    assert_usual::<Webhooks>("waits", "60,300,1800,7200,43200", "webhooks", waits);
    assert_usual::<Webhooks>("retention", "30", "webhooks", "queue is kept for 30 days");
    assert_usual::<Webhooks>("rotation", "24", "webhooks", "for 24 hours, or until");
    assert_usual::<Webhooks>("off_after", "5", "webhooks", "five deliveries in a row");
    assert_usual::<Webhooks>("off_after_days", "5", "webhooks", "at least five days");
}

#[test]
fn guides_state_the_constants_of_the_services() {
    assert_says("keys", &format!("{TEST_KEYS} working test keys"));
    assert_says("keys", &format!("request {NEW_KEYS} keys in 24 hours"));
    let Limits { default, max } = Limits::PUBLIC;
    let rows = format!("| rows on a page | {max}; without `limit` it is {default} |");
    assert_says("limits", &rows);
    assert_says("limits", &format!("| body | {} KiB,", MAX_BODY / 1_024));
    let cost = format!("{MEALS} × meal + {RIDES} × ride + {WAGES} × wage + {RENTS} × rent");
    assert_says("economy", &cost);
    let kept = PLAYERS_KEPT.whole_days();
    assert_says("economy", &format!("the `note` of a tip for {kept} days"));
    for (privacy, period) in [
        (include_str!("../../pages/articles/privacy.en.md"), format!("both for {kept} days")),
        (
            include_str!("../../pages/articles/privacy.fr.md"),
            format!("les deux pendant {kept} jours"),
        ),
    ] {
        assert!(privacy.contains(&period), "{period}");
    }
    assert_eq!((MIN_SWAPS, MIN_PARTIES), (3, 2));
    let market = "at least three times in 24 hours, and at least two parties took part";
    assert_says("economy", market);
}
