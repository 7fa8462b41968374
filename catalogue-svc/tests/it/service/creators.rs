//! Creators: the list, one creator with its games, and errors.

use catalogue::service::Reads;
use contracts::catalogue::v1::creators_service_server::CreatorsService as _;
use contracts::catalogue::v1::{GetCreatorRequest, GetCreatorResponse, ListCreatorsRequest};
use contracts::common::v1::Mode;
use contracts::listings::v1 as listings;
use contracts::public;
use kit::{Code, Fault};
use tonic::Request;

use super::catalogue;
use crate::build::{game, game_change, id, page, page_change, reads};

async fn get(creators: &Reads, mode: Mode, handle: &str) -> Result<GetCreatorResponse, Fault> {
    let request = GetCreatorRequest {
        mode: mode.into(),
        handle: handle.to_owned(),
        ..GetCreatorRequest::default()
    };
    let response = creators.get_creator(Request::new(request)).await?;
    Ok(response.into_inner())
}

#[tokio::test]
async fn a_creator_has_at_most_max_games_and_their_total() {
    let mut changes = vec![page_change(&page(0))];
    changes.extend((0..5).map(|number| game_change(&game(number))));
    let creators = reads(catalogue(&changes));
    let first = async |max_games| {
        let request = GetCreatorRequest {
            mode: Mode::Live.into(),
            handle: "maker-0".to_owned(),
            max_games,
            ..GetCreatorRequest::default()
        };
        let creator = creators.get_creator(Request::new(request)).await.unwrap().into_inner();
        let parsed: public::Creator = serde_json::from_slice(&creator.json).unwrap();
        (parsed.games, creator.total_games)
    };
    let (all, total) = first(None).await;
    assert_eq!((all.len(), total), (5, 5));
    let (two, total) = first(Some(2)).await;
    assert_eq!((two.as_slice(), total), (&all[..2], 5));
    assert_eq!(first(Some(0)).await, (Vec::new(), 5));
}

fn well_described() -> listings::Page {
    listings::Page {
        bio: "Eleven people under a \"baobab\".".to_owned(),
        roles: vec!["developer".to_owned(), "composer".to_owned()],
        tagline: "Small games".to_owned(),
        avatar_url: Some("https://img.example/a.png".to_owned()),
        verified: true,
        links: [("x".to_owned(), "https://x.example".to_owned())].into(),
        ..page(1)
    }
}

#[tokio::test]
async fn a_creator_has_all_fields_and_is_read_only_from_its_dataset() {
    let mut featured = game(3);
    featured.featured = true;
    let mut hidden = game(4);
    hidden.state = listings::State::Pending.into();
    let of_page = |game| listings::Game { page_id: id(1), ..game };
    let mut changes = vec![page_change(&page(0)), page_change(&well_described())];
    for game in [featured, hidden, game(5), game(6)] {
        changes.push(game_change(&of_page(game)));
    }
    changes.push(game_change(&game(7)));
    let creators = reads(catalogue(&changes));

    let response = get(&creators, Mode::Live, "maker-1").await;
    let json = response.unwrap().json;
    let creator: public::Creator = serde_json::from_slice(&json).unwrap();
    // The JSON has the fields of the contract and no others.
    assert_eq!(serde_json::to_vec(&creator).unwrap(), json);
    assert_eq!(creator.row.roles, ["developer", "composer"]);
    assert_eq!(creator.bio, "Eleven people under a \"baobab\".");
    assert_eq!(creator.links["x"], "https://x.example");
    let slugs: Vec<&str> = creator.games.iter().map(|game| &*game.slug).collect();
    assert_eq!(slugs, ["game-3", "game-6", "game-5"]);

    assert_eq!((&*creator.row.handle, creator.row.verified), ("maker-1", true));
    assert_eq!(creator.row.avatar_url, well_described().avatar_url);

    for (mode, handle) in [(Mode::Test, "maker-1"), (Mode::Live, "maker-2"), (Mode::Live, "")] {
        let fault = get(&creators, mode, handle).await.unwrap_err();
        assert_eq!(fault.code, Code::NotFound, "{handle}");
    }
}

#[tokio::test]
async fn bad_fields_are_named_at_once() {
    let creators = reads(catalogue(&[]));
    let request = ListCreatorsRequest {
        mode: Mode::Live.into(),
        kind: Some("robot".to_owned()),
        country: Some("FR".to_owned()),
        // The sets of roles and cities are open: unknown ones are not rejected.
        role: Some("juggler".to_owned()),
        city: Some("atlantis".to_owned()),
        ..ListCreatorsRequest::default()
    };
    let fault = creators.list_creators(Request::new(request)).await;
    let fault = Fault::from(fault.unwrap_err());
    assert!(fault.fields.keys().eq(["country", "kind"]), "{fault:?}");
    assert!(fault.fields["kind"].contains("studio, person"));
}
