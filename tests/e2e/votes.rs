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
    let page = eventually("a pair of games", async || {
        let page = browser.get("/vote").await;
        page.text.contains("name=\"draw\"").then_some(page)
    })
    .await;
    let ballot = Ballot::of(&page);
    assert_eq!(ballot.send(&mut browser, "second").await, "voted");
    wait_for_wins(&client, 1).await;
    let winner = format!("href=\"/games/{}\"", ballot.names[1]);
    let board = browser.get("/rankings/games/week").await;
    assert!(board.text.contains(&winner), "{}", board.text);
    let all = browser.get("/rankings").await;
    assert!(all.text.contains(&winner), "{}", all.text);

    // The same draw again, and another one in two tabs at once.
    assert_eq!(ballot.send(&mut browser, "first").await, "repeated");
    let ballot = Ballot::of(&browser.get("/vote").await);
    let (mut one, mut other) = (browser.clone(), browser.clone());
    let both = tokio::join!(
        ballot.send(&mut one, "first"),
        ballot.send(&mut other, "first")
    );
    let mut both = [both.0, both.1];
    both.sort_unstable();
    assert_eq!(both, ["repeated", "voted"]);
    wait_for_wins(&client, 2).await;

    refused_votes(&fleet, &mut browser).await;
    // Votes that count come after those that do not, so that the board would show these as well.
    for count in 3..=6 {
        let ballot = Ballot::of(&browser.get("/vote").await);
        assert_eq!(ballot.send(&mut browser, "first").await, "voted");
        wait_for_wins(&client, count).await;
    }
    // The first vote, one of the two tabs, which had cookies of their own, and these four.
    let page = browser.get("/vote").await;
    assert!(page.text.contains("How the boards moved"), "{}", page.text);
    assert!(page.text.contains("1 win"), "{}", page.text);
}

/// Sends votes that do not count.
async fn refused_votes(fleet: &Fleet, browser: &mut WebClient) {
    let ballot = Ballot::of(&browser.get("/vote").await);
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
    // A pair that was not drawn.
    let mut other = Ballot::of(&browser.get("/vote").await);
    while ballot.names.iter().all(|name| other.names.contains(name)) {
        other = Ballot::of(&browser.get("/vote").await);
    }
    other.names.clone_from(&ballot.names);
    assert_eq!(other.send(browser, "first").await, "refused");
}

#[tokio::test]
async fn people_compare_creators_in_french_too() {
    let fleet = Fleet::shared();
    let mut browser = WebClient::new(&fleet);
    let page = browser.get("/fr/vote/creators").await;
    assert!(page.text.contains("Voter pour "), "{}", page.text);
    let (first, second) = (page.hidden("first"), page.hidden("second"));
    assert_ne!(first, second);
    for handle in [first, second] {
        let page = browser.get(&format!("/creators/{handle}")).await;
        assert_eq!(page.status, 200, "{handle}");
    }
}
