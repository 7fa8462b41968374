//! Reviews and other decisions with the staff tool.

use contracts::listings::v1::staff_review_service_client::StaffReviewServiceClient;
use listings::domain::state::{Seen, Transition};
use strum::VariantArray as _;

use super::*;
use crate::support::while_open;

#[testing::database_test(listings::MIGRATOR)]
async fn a_review_reads_one_answer_a_line_on_a_terminal(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    for name in ["one", "two", "three", "four"] {
        accounts.game(name).await;
        service.clock.advance(time::Duration::MINUTE);
    }
    // A pipe approves nothing.
    for args in [&["review"][..], &["--json", "review"]] {
        let ran = staff_with(&service, &token, args, "a\na\n").await;
        assert_eq!(ran.status(), 2, "{ran:?}");
        assert!(ran.complaint().contains("staff review list"), "{ran:?}");
    }
    let lines = "o\na\nr\n\nr\nNot a game\nx\n?\ns\nq\na\n";
    let ran = on_terminal(&service, &token, "review", lines).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let text = ran.text();
    for line in [
        "game one one",
        "under studio (published)",
        "+ https://play.example/a",
        "revision 1, ",
        "1 of 4",
        "2 of 4",
        "approved: one",
        "a rejection needs a reason",
        "rejected: two",
        "x is not one of a, r, s, b, o, q: ? for help",
        "s  skip it: it stays pending",
        "1 approved, 1 rejected, 1 skipped",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }

    let ran = staff_with(&service, &token, &["--json", "review", "list"], "").await;
    let document = ran.document();
    assert_eq!(document["total"], 2);
    let names: Vec<&Value> =
        document["items"].as_array().unwrap().iter().map(|item| &item["name"]["name"]).collect();
    assert_eq!(names, ["three", "four"]);
    let rest = on_terminal(&service, &token, "review --kind game", "a\na\n").await;
    assert!(rest.text().contains("nothing else is pending"), "{rest:?}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_batch_of_decisions_reports_refused_ones(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let names: Vec<String> = (0..55).map(|n| format!("game-{n}")).collect();
    let games: Vec<Value> = names.iter().map(|name| game(name, name)).collect();
    service.import(&File::rows("game", &games)).await;
    let operator = testing::staff_token();
    let mut args = vec!["--json", "game", "take-down", "--reason", "Why", "--yes"];
    args.extend(names.iter().map(String::as_str));
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert_eq!(ran.document()["results"].as_array().unwrap().len(), 55);

    let args = ["game", "restore", "game-0", "game-1", "none"];
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.status(), 1);
    assert!(ran.complaint().contains("1 of 3 were refused"));
    assert!(ran.text().contains("There is no listing"), "{ran:?}");

    // Only an admin takes listings down.
    let args = ["game", "take-down", "game-0", "game-1", "--reason", "Why"];
    let args = [&args[..], &["--yes"]].concat();
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 1);
    assert!(ran.complaint().contains("needs the role admin"), "{ran:?}");
    let ran = staff_with(&service, operator.expose(), &args, "").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let args = ["--json", "game", "list", "GAME-0", "--state", "removed"];
    let found = staff_with(&service, &token, &args, "").await.document();
    assert_eq!(found["listings"].as_array().unwrap().len(), 1);
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_decision_is_refused_when_the_revision_is_not_the_reviewed_one(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    for name in ["one", "two"] {
        accounts.game(name).await;
        accounts.edit(name, serde_json::json!({"tagline": "Other"})).await;
    }
    let args = ["game", "approve", "one", "--revision", "1"];
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    for line in ["changed since it was reviewed", "tagline", "+ Other"] {
        assert!(ran.text().contains(line), "{line}: {ran:?}");
    }
    // Without a terminal there are no colours.
    assert!(!ran.text().contains('\u{1b}'), "{ran:?}");
    let args = ["--json", "game", "approve", "one", "--revision", "1"];
    let document = staff_with(&service, &token, &args, "").await.document();
    let result = &document["results"][0];
    assert_eq!(result["changed"][0]["field"], "tagline");
    assert_eq!(result["changed"][0]["after"], "Other");
    assert!(result["revision"].is_null());

    // A decision without a terminal is of the revision that somebody has read.
    for args in [&["game", "approve", "one"][..], &["game", "reject", "one", "--reason", "Why"]] {
        let ran = staff_with(&service, &token, args, "").await;
        assert_eq!(ran.status(), 2, "{ran:?}");
        assert!(ran.complaint().contains("--revision"), "{ran:?}");
    }
    let ran = staff_with(&service, &token, &["review", "list"], "").await;
    assert!(ran.text().contains("revision"), "{ran:?}");
    let args = ["game", "reject", "two", "--revision", "2", "--reason", "Why"];
    let ran = staff_with(&service, &token, &args, "").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let list = ["--json", "review", "list"];
    let waiting = staff_with(&service, &token, &list, "").await.document();
    assert_eq!(waiting["total"], 1, "{waiting}");
}

/// A reviewer who is interrupted at the second listing has decided on the first.
#[testing::database_test(listings::MIGRATOR)]
async fn each_answer_in_a_review_of_named_listings_takes_effect_at_once(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    for name in ["one", "two", "three"] {
        accounts.game(name).await;
    }
    let line = "review --kind game three none two";
    let mut tool = Running::start(tool_on_terminal(&service, &token, line));
    tool.wait_for("1 of 3").await;
    tool.send("a\n").await;
    tool.wait_for("3 of 3").await;
    for line in ["approved: three", "none: There is no listing"] {
        assert!(tool.text.contains(line), "{line}: {}", tool.text);
    }
    drop(tool);
    let list = ["--json", "review", "list"];
    let waiting = staff_with(&service, &token, &list, "").await.document();
    assert_eq!(waiting["items"][0]["name"]["name"], "one");
    assert_eq!(waiting["total"], 2, "{waiting}");
    // A slug is of a kind, and what does not wait is not asked about.
    let ran = on_terminal(&service, &token, "review three", "").await;
    assert_eq!(ran.status(), 2, "{ran:?}");
    let ran = on_terminal(&service, &token, "review --kind game three", "").await;
    assert!(ran.text().contains("three is published"), "{ran:?}");
    assert!(ran.text().contains("no other listing is named"), "{ran:?}");
    assert_eq!(ran.status(), 0, "{ran:?}");
    // The way back is over the missing ones to the first that exists.
    let line = "review --kind game nobody one none two";
    let ran = on_terminal(&service, &token, line, "s\nb\nb\nq\n").await;
    let text = ran.text();
    assert_eq!(ran.status(), 0, "{ran:?}");
    let lines = text.lines().filter(|line| line.ends_with(" of 4"));
    let positions: Vec<&str> = lines.filter_map(|line| line.rsplit("> ").next()).collect();
    assert_eq!(positions, ["2 of 4", "4 of 4", "2 of 4", "2 of 4"]);
    let line = "review --kind game none nobody";
    let ran = on_terminal(&service, &token, line, "").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(ran.text().contains("none of the listings exists"), "{ran:?}");
}

/// An account cannot evade a takedown by changing its listing all the time.
#[testing::database_test(listings::MIGRATOR)]
async fn a_takedown_is_of_the_listing_whatever_its_account_changes_meanwhile(pool: PgPool) {
    let (service, _) = reviewed(pool).await;
    service.import(&File::rows("game", &[game("a-game", "A Game")])).await;
    let operator = testing::staff_token();
    for (verb, state) in [("take-down", "removed"), ("restore", "published")] {
        // A change that commits after the tool could have read the listing.
        let mut change = service.pool.begin().await.unwrap();
        let changed = "update listings.listing set revision = revision + 1 where name = 'a-game'";
        let changed = sqlx::query(changed).execute(&mut *change).await;
        assert_eq!(changed.unwrap().rows_affected(), 1);
        let args = ["game", verb, "a-game", "--reason", "Why"];
        let decided = staff_with(&service, operator.expose(), &args, "");
        let ran = while_open(&service.pool, change, decided).await;
        assert_eq!(ran.status(), 0, "{ran:?}");
        assert!(ran.text().contains(state), "{ran:?}");
    }
}

/// The tool is a crate of its own, which does not read the table of the service.
#[testing::database_test(listings::MIGRATOR)]
async fn the_tool_asks_for_what_a_decision_must_have_seen(pool: PgPool) {
    let (service, _) = reviewed(pool).await;
    let operator = testing::staff_token();
    for decision in Transition::VARIANTS {
        let verb = match decision {
            Transition::Approve => "approve",
            Transition::Reject => "reject",
            Transition::TakeDown => "take-down",
            Transition::Restore => "restore",
        };
        let mut args = vec!["game", verb, "none"];
        if *decision != Transition::Approve {
            args.extend(["--reason", "Why"]);
        }
        let ran = staff_with(&service, operator.expose(), &args, "").await;
        let is_seen = decision.rule().seen != Seen::Nothing;
        // It asks for the revision; else the service finds no such game.
        assert_eq!(ran.status(), if is_seen { 2 } else { 1 }, "{ran:?}");
    }
}

/// The gateway, which looks accounts up, is not there in this test.
#[testing::database_test(listings::MIGRATOR)]
async fn the_account_of_an_event_is_looked_up(pool: PgPool) {
    let (service, _) = reviewed(pool).await;
    let event = serde_json::json!({"slug": "a-jam", "title": "A Jam", "kind": "jam", "starts_at": "2026-07-01", "country_code": "NG", "city": "Lagos"});
    service.import(&File::rows("event", &[event])).await;
    let operator = testing::staff_token();
    let id = uuid::Uuid::from_u128(5).to_string();
    for (account, status, said) in
        [(id.as_str(), 0, "was not checked"), ("ada@example.com", 2, "web")]
    {
        let changes = serde_json::json!({ "account": account }).to_string();
        let args = ["event", "edit", "a-jam", "--changes", &changes];
        let ran = staff_with(&service, operator.expose(), &args, "").await;
        assert_eq!(ran.status(), status, "{ran:?}");
        assert!(ran.complaint().contains(said), "{ran:?}");
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_limit_of_zero_is_refused(pool: PgPool) {
    let service = start(pool).await;
    for command in [&["review", "list"][..], &["listing", "search"], &["audit", "list"]] {
        let args = [command, &["--limit", "0"]].concat();
        let output = staff(&service.address, &args).await;
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_review_can_go_back_to_a_skipped_listing(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    for name in ["one", "two", "three"] {
        accounts.game(name).await;
        service.clock.advance(time::Duration::MINUTE);
    }
    // Back at the first; skip it; approve the second; from the third back over the second to the first; approve the first.
    let lines = "b\ns\na\nb\nx\n?\nb\na\nn\nq\n";
    let ran = on_terminal(&service, &token, "review", lines).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let text = ran.text();
    // A prompt is before most of them.
    let lines = text.lines().filter(|line| line.ends_with(" of 3"));
    let positions: Vec<&str> = lines.filter_map(|line| line.rsplit("> ").next()).collect();
    assert_eq!(
        positions,
        ["1 of 3", "1 of 3", "2 of 3", "3 of 3", "2 of 3", "1 of 3", "2 of 3", "3 of 3"]
    );
    assert!(text.contains("two is published now"), "{text}");
    assert!(text.contains("2 approved, 0 rejected, 0 skipped"), "{text}");
    for line in [
        "this is the first listing of the review",
        "x is not one of n, b, o, q: ? for help",
        "n  next listing",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }

    let args = ["--json", "review", "list"];
    let document = staff_with(&service, &token, &args, "").await.document();
    assert_eq!(document["total"], 1);
    assert_eq!(document["items"][0]["name"]["name"], "three");
}

/// The tool on a terminal of its own, not yet started. The terminal shows its output without colours, its errors, and the input.
fn tool_on_terminal(service: &Service, token: &str, args: &str) -> std::process::Command {
    let tool = tool();
    let line = format!("{} {args}", tool.get_program().to_str().unwrap());
    let mut command = std::process::Command::new("script");
    command
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("NO_COLOR", "1")
        .env("STAFF_TOKEN", token)
        .env("STAFF_LISTINGS", &service.address)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    command
}

/// Runs the tool on a terminal of its own with this input.
async fn on_terminal(service: &Service, token: &str, args: &str, input: &'static str) -> Ran {
    let mut command = tool_on_terminal(service, token, args);
    let output = tokio::task::spawn_blocking(move || {
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        // `script` closes the terminal when its input ends, so that the input stays open until the tool has exited.
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        output
    });
    Ran(output.await.unwrap())
}

/// Runs the tool until it has shown `line`, then awaits `change`, and then sends the answers.
async fn changed_meanwhile(
    command: std::process::Command,
    line: &str,
    change: impl Future<Output = ()>,
    answers: &str,
) -> Ran {
    let mut tool = Running::start(command);
    tool.wait_for(line).await;
    change.await;
    tool.send(answers).await;
    tool.end().await
}

/// An account cannot evade a rejection by changing its listing all the time: the current revision is rejected. An approval is only of the revision
/// that was shown.
#[testing::database_test(listings::MIGRATOR)]
async fn a_rejection_applies_to_the_current_revision(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    let reviews = StaffReviewServiceClient::new(service.operator_client.clone());
    let current = async |name: &str| {
        let name = Some(crate::review::listing_name("game", name));
        let request = proto::GetReviewRequest { name, revision: 0 };
        let review = reviews.clone().get_review(request).await;
        review.unwrap().into_inner()
    };
    let tagline = |review: &proto::GetReviewResponse| {
        let content: Value = serde_json::from_str(&review.content).unwrap();
        content["tagline"].clone()
    };
    let review = || tool_on_terminal(&service, &token, "review");
    accounts.game("one").await;

    // Approving a revision that is outdated shows the change and the listing again.
    let edit = accounts.edit("one", serde_json::json!({"tagline": "Other"}));
    let ran = changed_meanwhile(review(), "1 of 1", edit, "a\nq\n").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let text = ran.text();
    assert!(text.contains("changed since it was reviewed"), "{text}");
    assert!(text.contains("0 approved"), "{text}");
    assert_eq!(current("one").await.state(), proto::State::Pending);

    // The rejection applies to the changed listing.
    let edit = accounts.edit("one", serde_json::json!({"tagline": "Third"}));
    let answers = "r\nNot a game\nq\n";
    let ran = changed_meanwhile(review(), "1 of 1", edit, answers).await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert!(ran.text().contains("rejected: one"), "{ran:?}");
    let one = current("one").await;
    assert_eq!((one.state(), tagline(&one)), (proto::State::Rejected, "Third".into()));
    let rejection = &one.history[0];
    assert_eq!((rejection.revision, rejection.actor.as_str()), (4, "ada"));
}

#[testing::database_test(listings::MIGRATOR)]
async fn what_its_account_has_withdrawn_meanwhile_does_not_count_as_rejected(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    let accounts = service.accounts().await;
    accounts.game("one").await;
    let withdrawn = async {
        let listing = ("game", "one", 1);
        let changed = crate::own_actions::withdraw(&service, accounts.account, listing).await;
        assert!(changed.unwrap());
    };
    let review = tool_on_terminal(&service, &token, "review");
    let ran = changed_meanwhile(review, "1 of 1", withdrawn, "r\nNot a game\nq\n").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert!(ran.text().contains("0 approved, 0 rejected"), "{ran:?}");
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_takedown_of_several_and_a_purge_need_confirmation(pool: PgPool) {
    let service = start(pool).await;
    let games = ["one", "two", "three"].map(|slug| game(slug, slug));
    service.import(&File::rows("page", &[creator("studio")])).await;
    service.import(&File::rows("game", &games)).await;

    let down = ["game", "take-down", "one", "two", "--reason", "Why"];
    let purge = ["picture", "purge", "x.jpg", "--reason", "Why"];
    for args in [&down[..], &purge] {
        let refused = Ran(staff(&service.address, args).await);
        assert_eq!(refused.status(), 2, "{refused:?}");
        assert!(refused.complaint().contains("--yes"), "{refused:?}");
    }
    let operator = testing::staff_token();
    let token = operator.expose();
    let line = "--json game take-down one two --reason Why";
    let ran = on_terminal(&service, token, line, "n\n").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(ran.text().contains("Take down 2 games (one, two)?"), "{ran:?}");
    assert!(ran.text().contains("nothing was changed"), "{ran:?}");
    let ran = on_terminal(&service, token, line, "y\n").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    assert!(ran.text().contains("removed"), "{ran:?}");
    let ran = on_terminal(&service, token, "picture purge x.jpg --reason Why", "no\n").await;
    assert_eq!(ran.status(), 1, "{ran:?}");
    assert!(ran.text().contains("Purge x.jpg?"), "{ran:?}");
    // The takedown of a single listing needs no confirmation.
    let args = ["game", "take-down", "three", "--reason", "Why"];
    let ran = Ran(staff(&service.address, &args).await);
    assert_eq!(ran.status(), 0, "{ran:?}");
}

/// The history of a listing that is not in review, as text and as JSON.
#[testing::database_test(listings::MIGRATOR)]
async fn a_listing_in_any_state_is_shown_with_its_revisions(pool: PgPool) {
    let (service, token) = reviewed(pool).await;
    service.import(&File::rows("game", &[game("one", "One")])).await;
    for tagline in ["First", "Second"] {
        let changes = serde_json::json!({ "tagline": tagline }).to_string();
        let args = ["game", "edit", "one", "--changes", &changes];
        assert_eq!(staff_with(&service, &token, &args, "").await.status(), 0);
    }
    let ran = staff_with(&service, &token, &["game", "review", "one"], "").await;
    assert_eq!(ran.status(), 0, "{ran:?}");
    let text = ran.text();
    for part in ["game one One", "Second", "revision 3, ", "changed tagline", "revision 1, "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let args = ["game", "review", "one", "--revision", "2"];
    let ran = staff_with(&service, &token, &args, "").await;
    let text = ran.text();
    for part in ["as of revision 2", "First", "+ Second"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let args = [&["--json"][..], &args].concat();
    let document = staff_with(&service, &token, &args, "").await.document();
    assert_eq!(document["content"]["tagline"], "First");
    assert_eq!(document["differences"][0]["after"], "Second");
    assert_eq!(document["history"][0]["changed"], serde_json::json!(["tagline"]));

    service.import(&File::rows("page", &[creator("a-sample")]).test()).await;
    let sample = ["--json", "page", "review", "a-sample", "--mode", "test"];
    let document = staff_with(&service, &token, &sample, "").await.document();
    assert_eq!(document["item"]["name"]["mode"], "test");
    let args = ["page", "review", "none"];
    assert_eq!(staff_with(&service, &token, &args, "").await.status(), 1);
}
