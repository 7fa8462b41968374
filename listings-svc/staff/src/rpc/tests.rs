//! The commands that the tool derives from the real contracts.

use std::collections::BTreeSet;

use clap::ArgMatches;
use contracts::catalogue::v1 as catalogue;
use contracts::common::v1::Mode;
use contracts::economy::v1 as economy;
use contracts::gateway::v1 as gateway;
use contracts::listings::v1 as listings;
use serde_json::json;

use super::*;

/// Parses a command line, and returns all commands too.
fn parse(line: &[&str]) -> Result<(ArgMatches, Vec<RpcCommand>), clap::Error> {
    let commands = commands().unwrap();
    let line = [&["staff"], line].concat();
    let matches = crate::command_line(&commands).try_get_matches_from(line)?;
    Ok((matches, commands))
}

/// The request that a command line sends.
fn request<M: Message + Default>(line: &[&str]) -> M {
    let (matches, commands) = parse(line).unwrap();
    let (command, arguments) = find(&commands, &matches).unwrap();
    command.request(arguments).unwrap().transcode_to().unwrap()
}

fn refusal(line: &[&str]) -> String {
    parse(line).err().unwrap().to_string()
}

#[test]
fn each_command_has_a_unique_path_and_help() {
    let commands = commands().unwrap();
    let paths: BTreeSet<&[String]> = commands.iter().map(|it| &it.path[..]).collect();
    assert_eq!(paths.len(), commands.len());
    assert!(commands.len() > 40, "{paths:?}");
    for command in &commands {
        assert!(service(&command.method).is_ok(), "{:?}", command.path);
        let line: Vec<&str> = command.path.iter().map(String::as_str).collect();
        let help = refusal(&[&line[..], &["--help"]].concat());
        let about = help.lines().next().unwrap();
        assert!(!about.is_empty() && !about.starts_with("Usage"), "{help}");
    }
    for command in commands.iter().filter(|it| !it.list.is_empty()) {
        let words: Vec<&str> = command.list.split(' ').collect();
        let found = commands
            .iter()
            .any(|it| words.starts_with(&it.path.iter().map(String::as_str).collect::<Vec<_>>()));
        assert!(found, "{}", command.list);
    }
}

#[test]
fn arguments_are_fields_of_the_request() {
    let key: gateway::CreateKeyRequest = request(&[
        "key",
        "create",
        "--account",
        "ada@example.com",
        "--name",
        "server",
        "--mode",
        "test",
        "--may-write",
    ]);
    let expected = gateway::CreateKeyRequest {
        account_id: "ada@example.com".to_owned(),
        name: "server".to_owned(),
        mode: Mode::Test.into(),
        may_write: true,
        ..Default::default()
    };
    assert_eq!(key, expected);
    for (word, on) in [("on", true), ("off", false)] {
        let switch: gateway::SetSwitchRequest = request(&["switch", "set", "api", word]);
        assert_eq!((switch.name.as_str(), switch.on), ("api", on));
    }
    let voters: catalogue::ListVotersRequest =
        request(&["vote", "list", "games/a-game", "--address", "192.0.2.7"]);
    assert_eq!([voters.kind, voters.listing, voters.address], ["games", "a-game", "192.0.2.7"]);
    let voters: catalogue::ListVotersRequest =
        request(&["vote", "list", "games/a-game", "--by-site", "--since", "2026-03-01T00:00:00Z"]);
    assert!(voters.by_site);
    assert_eq!(voters.since.map(|since| since.seconds), Some(1_772_323_200));
    let swaps: economy::RemoveSwapsRequest =
        request(&["swap", "remove", "s-1", "s-2", "--reason", "Why"]);
    assert_eq!(swaps.swaps, ["s-1", "s-2"]);
    let owner: listings::AddOwnerRequest =
        request(&["page", "add-owner", "studio", "--account", "ada@example.com"]);
    assert_eq!(owner.account_id, "ada@example.com");
}

#[test]
fn a_noun_sets_the_kind_of_a_listing() {
    let shown: listings::GetListingRequest = request(&["event", "show", "a-jam"]);
    let name = shown.name.unwrap();
    assert_eq!((name.kind.as_str(), name.name.as_str()), ("event", "a-jam"));
    assert_eq!(name.mode().as_str_name(), "MODE_LIVE");
    let found: listings::SearchRequest = request(&["game", "list", "--state", "removed"]);
    assert_eq!((found.kind.as_str(), found.state()), ("game", listings::State::Removed));
    let found: listings::SearchRequest =
        request(&["listing", "search", "a jam", "--kind", "event"]);
    assert_eq!((found.kind.as_str(), found.text.as_str()), ("event", "a jam"));
}

#[test]
fn exactly_one_alternative_of_a_choice_is_accepted() {
    use catalogue::voters_of::Voters;

    let void = ["vote", "void", "--reason", "Why"];
    let voters = |more: &[&str]| {
        let request: catalogue::VoidVotesRequest = request(&[&void, more].concat());
        request.voters.unwrap().voters.unwrap()
    };
    assert_eq!(voters(&["ada"]), Voters::Voter("ada".to_owned()));
    let address = "192.0.2.7";
    assert_eq!(voters(&["--address", address]), Voters::Address(address.to_owned()));
    refusal(&void);
    refusal(&[&void[..], &["ada", "--address", address]].concat());
}

#[test]
fn a_bad_argument_is_refused_with_a_hint() {
    for (line, hint) in [
        (&["report", "approve", "x"][..], "give a whole number"),
        (&["switch", "set", "api", "maybe"], "`on` or `off`"),
        (&["game", "list", "--state", "x"], "removed"),
        (&["key", "list", "--account", "a", "--limit", "0"], "unexpected argument"),
        (&["account", "list", "--limit", "0"], "1 or more"),
        (&["key", "reject", "x"], "--reason"),
    ] {
        let sentence = refusal(line);
        assert!(sentence.contains(hint), "{line:?}: {sentence}");
    }
}

#[test]
fn a_confirmation_names_what_is_changed() {
    let (matches, commands) = parse(&["key", "revoke", "k-1", "--yes"]).unwrap();
    let (command, arguments) = find(&commands, &matches).unwrap();
    let (question, _) = command.question(arguments).unwrap();
    assert!(question.starts_with("Revoke the key k-1?"), "{question}");
}

#[test]
fn each_line_of_a_file_is_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("swaps.ndjson").display().to_string();
    let swap = r#"{"id":"1","party":"Adé","from":"a-game","to":"b-game","gave":1e3,"got":2.0,"at":"2026-01-01T00:00:00Z"}"#;
    std::fs::write(&path, format!("{swap}\n\n")).unwrap();
    let sent: economy::ImportSwapsRequest = request(&["swap", "import", &path]);
    assert_eq!(sent.swaps.len(), 1);
    let swap_sent = &sent.swaps[0];
    assert_eq!((swap_sent.party.as_str(), swap_sent.gave, swap_sent.got), ("Adé", 1_000, 2));
    assert!(sent.swaps[0].at.is_some());
    for (line, problem) in [
        ("{\"gave\": -1}", "line 2: gave: give a whole number"),
        ("{\"gave\": 1.5}", "line 2: gave: give a whole number"),
        ("{\"given\": 1}", "line 2: `given` is no field"),
        ("{\"gave\": 1, \"gave\": 2}", "line 2: gave: It is given twice."),
        ("not json", "line 2: it is not a JSON object"),
    ] {
        std::fs::write(&path, format!("{swap}\n{line}")).unwrap();
        let (matches, commands) = parse(&["swap", "import", &path]).unwrap();
        let (command, arguments) = find(&commands, &matches).unwrap();
        let error = command.request(arguments).unwrap_err();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn json_has_contract_field_names_and_enum_words() {
    let found = listings::FoundListing {
        name: Some(listings::ListingName {
            kind: "game".to_owned(),
            name: "a-game".to_owned(),
            ..Default::default()
        }),
        state: listings::State::Pending.into(),
        revision: 2,
        ..Default::default()
    };
    let found = dynamic("listings.v1.FoundListing", &found).unwrap();
    let expected = json!({
        "name": {"kind": "game", "mode": "", "name": "a-game"},
        "title": "", "state": "pending", "revision": 2, "submitter": "", "updated_at": null,
    });
    assert_eq!(answer::json(&found), expected);
    let swap = economy::Swap {
        at: kit::api::timestamp::parse("2026-01-01T00:00:00Z").map(kit::api::timestamp::encode),
        ..Default::default()
    };
    let swap = dynamic("economy.v1.Swap", &swap).unwrap();
    assert_eq!(answer::json(&swap)["at"], "2026-01-01T00:00:00.000Z");
}
