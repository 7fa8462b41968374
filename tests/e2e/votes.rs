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

    /// A pair with a game that no other test takes down, and the pick of that game. Other pairs are judged, so that another one is drawn.
    async fn with_a_lasting_game(browser: &mut WebClient) -> (Self, &'static str) {
        loop {
            let ballot = Self::of(&browser.get("/vote").await);
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
    // A vote that counts comes after the one that does not, so that the board would show this as well.
    vote(&mut browser).await;
    wait_for_wins(&client, 2).await;
}
