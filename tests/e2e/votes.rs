//! Votes on the public site, and the boards that they move. No other test of this fleet votes, so the wins can be counted.

use e2e::{Client, Fleet, WebClient, WebPage, eventually};

use crate::lists::live;

/// The form of a pair: its draw and both listings.
struct Ballot {
    draw: String,
    names: [String; 2],
}

impl Ballot {
    fn of(page: &WebPage) -> Self {
        Self {
            draw: page.hidden("draw"),
            names: ["first", "second"].map(|name| page.hidden(name)),
        }
    }

    /// The pair that a browser is shown.
    async fn shown_to(browser: &mut WebClient) -> Self {
        Self::of(&browser.get("/vote").await)
    }

    /// A pair with a game that no other test takes down, and the pick of that game. Other pairs are judged, so that another one is drawn.
    async fn with_a_lasting_game(browser: &mut WebClient) -> (Self, &'static str) {
        loop {
            let ballot = Self::shown_to(browser).await;
            let lasts = ballot.names.each_ref().map(|name| is_lasting(name));
            match lasts {
                [true, _] => return (ballot, "first"),
                [false, true] => return (ballot, "second"),
                [false, false] => {
                    let done = ballot.send(browser, "neither").await;
                    if done != "skipped" {
                        assert_refused_fairly(&ballot, &done);
                    }
                }
            }
        }
    }

    async fn send(&self, browser: &mut WebClient, pick: &str) -> String {
        let [first, second] = self.names.each_ref().map(String::as_str);
        let fields = [
            ("draw", self.draw.as_str()),
            ("first", first),
            ("second", second),
            ("pick", pick),
        ];
        let page = browser.post("/vote", &fields).await;
        assert_eq!(page.status, 303, "{}", page.text);
        let (path, done) = page.location.split_once("?done=").unwrap();
        assert_eq!(path, "/vote");
        done.to_owned()
    }
}

/// Whether it is a game of the real directory. Those of other tests have digits in their names, and come and go.
fn is_lasting(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_digit())
}

/// Casts a vote for a game that stays; returns the ballot and the pick. A vote whose other game has just been taken down is refused.
async fn vote(browser: &mut WebClient) -> (Ballot, &'static str) {
    loop {
        let (ballot, pick) = Ballot::with_a_lasting_game(browser).await;
        let done = ballot.send(browser, pick).await;
        if done == "voted" {
            return (ballot, pick);
        }
        assert_refused_fairly(&ballot, &done);
    }
}

/// Asserts that a vote was refused, and that one of its games comes and goes. It may be back by now.
fn assert_refused_fairly(ballot: &Ballot, done: &str) {
    let comes_and_goes = ballot.names.iter().any(|name| !is_lasting(name));
    assert!(
        done == "refused" && comes_and_goes,
        "{done}: {:?}",
        ballot.names
    );
}

/// The wins of all games.
async fn wins(client: &Client) -> u64 {
    let rows = client.all("/rankings/games/all", 100).await;
    rows.iter().map(|row| row["wins"].as_u64().unwrap()).sum()
}

async fn wait_for_wins(client: &Client, expected: u64) {
    eventually("the vote on the board", async || {
        let wins = wins(client).await;
        assert!(wins <= expected, "{wins} wins");
        (wins == expected).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_vote_moves_a_board_once() {
    let fleet = Fleet::shared();
    let client = live(&fleet).await;
    let mut browser = WebClient::new(&fleet);
    // A fleet that has just started sorts its listings within seconds.
    eventually("a pair of games", async || {
        let page = browser.get("/vote").await;
        page.text.contains("name=\"draw\"").then_some(())
    })
    .await;
    let (ballot, pick) = vote(&mut browser).await;
    wait_for_wins(&client, 1).await;
    let winner = &ballot.names[usize::from(pick == "second")];
    let winner = format!("href=\"/games/{winner}\"");
    let board = browser.get("/rankings/games/week").await;
    assert!(board.text.contains(&winner), "{}", board.text);
    let all = browser.get("/rankings").await;
    assert!(all.text.contains(&winner), "{}", all.text);

    // The same draw again; it is refused if its other game is not public any more.
    let other = if pick == "first" { "second" } else { "first" };
    let again = ballot.send(&mut browser, other).await;
    if again != "repeated" {
        assert_refused_fairly(&ballot, &again);
    }
    vote_in_two_tabs(&mut browser).await;
    wait_for_wins(&client, 2).await;

    // One more vote counts on the way.
    refused_votes(&fleet, &mut browser).await;
    // A vote that counts comes after those that do not, so that the board would show these as well.
    vote(&mut browser).await;
    wait_for_wins(&client, 4).await;
}

/// Sends the same draw in two tabs at once: one of them votes.
async fn vote_in_two_tabs(browser: &mut WebClient) {
    loop {
        let (ballot, pick) = Ballot::with_a_lasting_game(browser).await;
        let (mut one, mut other) = (browser.clone(), browser.clone());
        let both = tokio::join!(ballot.send(&mut one, pick), ballot.send(&mut other, pick));
        let mut both = [both.0, both.1];
        both.sort_unstable();
        let [first, second] = both.each_ref().map(String::as_str);
        match [first, second] {
            ["repeated", "voted"] => return,
            [done, "refused"] => assert_refused_fairly(&ballot, done),
            // One vote came before the other game was taken down.
            ["refused", "voted"] => {
                assert_refused_fairly(&ballot, first);
                return;
            }
            _ => unreachable!("{both:?}"),
        }
    }
}

/// Sends votes that do not count.
async fn refused_votes(fleet: &Fleet, browser: &mut WebClient) {
    let ballot = Ballot::shown_to(browser).await;
    let mut stranger = WebClient::new(fleet);
    assert_eq!(ballot.send(&mut stranger, "first").await, "unknown");
    stranger.get("/vote").await;
    assert_eq!(ballot.send(&mut stranger, "first").await, "refused");
    // A cookie that was changed is nobody's.
    let cookie = browser.cookies["voter"].clone();
    let last = if cookie.starts_with('A') { 'B' } else { 'A' };
    let forged = format!("{last}{}", &cookie[1..]);
    let mut forger = browser.clone();
    forger.cookies.insert("voter".to_owned(), forged.clone());
    assert_eq!(ballot.send(&mut forger, "first").await, "unknown");
    forger.get("/vote").await;
    assert!(![&cookie, &forged].contains(&&forger.cookies["voter"]));
    // The names of one pair with the draw of another. A pair that is judged is drawn no more.
    let (pair, _) = vote(browser).await;
    let other = Ballot::shown_to(browser).await;
    let mixed = Ballot {
        draw: other.draw,
        ..pair
    };
    assert_eq!(mixed.send(browser, "first").await, "refused");
}
