//! Every read after a change by a studio or a decision of staff shows it (§1): through each gateway and each replica of catalogue-svc and
//! listings-svc, in single reads, lists, counts and searches.

use contracts::public::{Country, Game, GameRow, SearchResult};
use e2e::{Client, Fleet, NewAccount, Receiver, SmallFleet, Staff, long_form};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::take_down::what_is_taken_down_is_gone_everywhere_and_comes_back;
use crate::webhooks::visibility::nobody_is_told_of_a_game_that_is_hidden_with_its_page;

const COUNTRY: &str = "TD";
const HANDLE: &str = "own-changes";
/// The number of writes per round, and of reads after each write.
const WRITES: usize = 4;
const READS: usize = 4;

/// A different search word for each round. No word is a prefix of another.
fn word(round: usize) -> String {
    format!("c{round:06}x")
}

/// The state of a game that reads must show.
struct Expected<'a> {
    slug: &'a str,
    word: &'a str,
    public: bool,
    /// The number of published games of the country.
    games: u64,
}

impl Expected<'_> {
    /// Reads the game in every way at once, and compares. Each read forms a pair with the write before it.
    async fn is_seen(&self, client: &Client) {
        let (single, list) = (format!("/games/{}", self.slug), format!("/games?q={}", self.word));
        let search = format!("/search?q={}&type=games", self.word);
        let country = format!("/countries/{COUNTRY}");
        let (single, listed, found, country) = tokio::join!(
            client.get(&single),
            client.rows::<GameRow>(&list, 20),
            client.rows::<SearchResult>(&search, 20),
            client.one::<Country>(&country),
        );
        let title = format!("Game {}", self.word);
        if self.public {
            let game: Game = serde_json::from_value(single.data().clone()).unwrap();
            assert_eq!(game.row.title, title);
        } else {
            single.assert_error(404, "not_found");
        }
        let slugs: Vec<&str> = listed.iter().map(|row| row.slug.as_str()).collect();
        let names: Vec<&str> = found.iter().map(|row| row.name.as_str()).collect();
        let (slug, name) = (Some(self.slug), Some(title.as_str()));
        let shown = |what| {
            if self.public { Vec::from_iter(what) } else { Vec::new() }
        };
        assert_eq!(slugs, shown(slug));
        assert_eq!(names, shown(name));
        assert_eq!(country.row.games, self.games);
    }
}

struct Studio {
    clients: Vec<Client>,
    staff: Staff,
}

impl Studio {
    async fn new(fleet: &Fleet) -> Self {
        let mut staff = Staff::new(fleet).await;
        let account: NewAccount = staff.account("unlimited").await;
        let page = json!({"handle": HANDLE, "name": "A Studio", "kind": "studio", "country_code": COUNTRY, "city": "Far"});
        staff.import("page", &[page]).await;
        staff.add_owner(&account, HANDLE).await;
        let caller = staff.writer(fleet, &account, "live").await;
        let gateways = fleet.replicas("gateway");
        Self { clients: gateways.map(|gateway| caller.at(gateway)).collect(), staff }
    }

    /// Writes through one of the gateways, which `turn` selects.
    async fn write(&self, turn: usize, method: Method, path: &str, body: &Value) -> Value {
        let client = &self.clients[turn % self.clients.len()];
        let answer = client.send(client.request(method, path).json(body)).await;
        assert!(answer.status.is_success(), "{}", answer.text);
        answer.data().clone()
    }

    async fn see(&self, expected: &Expected<'_>) {
        join_all(self.clients.iter().map(|client| expected.is_seen(client))).await;
    }
}

/// Rounds of writes. After each write, every gateway must show it.
struct Walk {
    studio: Studio,
    /// The number of published games of the country.
    games: u64,
    round: usize,
}

impl Walk {
    async fn once(&mut self) {
        let (studio, round) = (&self.studio, self.round);
        let (first, second) = (word(2 * round), word(2 * round + 1));
        let body = json!({"creator": HANDLE, "title": format!("Game {first}")});
        let made = studio.write(round, Method::POST, "/games", &body).await;
        let slug = made["slug"].as_str().unwrap();
        studio.staff.approve("game", slug).await;
        self.games += 1;
        let mut expected = Expected { slug, word: &first, public: true, games: self.games };
        studio.see(&expected).await;

        let path = format!("/games/{slug}");
        let change = json!({"title": format!("Game {second}")});
        studio.write(round + 1, Method::PATCH, &path, &change).await;
        expected.word = &second;
        studio.see(&expected).await;

        studio.staff.take_down("game", slug).await;
        (expected.public, expected.games) = (false, self.games - 1);
        studio.see(&expected).await;

        studio.staff.restore("game", slug).await;
        (expected.public, expected.games) = (true, self.games);
        studio.see(&expected).await;
        self.round += 1;
    }
}

/// Takes most of a minute: a fleet with two replicas of three services starts, on which listings are changed, hidden and taken down.
#[tokio::test]
async fn a_change_or_decision_is_visible_through_every_replica() {
    let receiver = Receiver::start().await;
    let mut small = SmallFleet::patient();
    small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
    let replicas = ["--replicas", "gateway=2,catalogue-svc=2,listings-svc=2"];
    let fleet = small.up_with(&replicas).await;
    // This runs first, because the receiver gets all later announcements as well.
    nobody_is_told_of_a_game_that_is_hidden_with_its_page(&fleet, &receiver).await;
    what_is_taken_down_is_gone_everywhere_and_comes_back(&small, &fleet).await;
    let studio = Studio::new(&fleet).await;
    let gateways = studio.clients.len();
    let country: Country = studio.clients[0].one(&format!("/countries/{COUNTRY}")).await;
    let mut walk = Walk { studio, games: country.row.games, round: 0 };
    // The number of pairs of a write and a read.
    let pairs: usize = long_form("OWN_CHANGES_PAIRS", 120);
    for _ in 0..pairs.div_ceil(WRITES * READS * gateways) {
        walk.once().await;
    }
    fleet.assert_no_read_behind().await;
    let pairs = walk.round * WRITES * READS * gateways;
    println!("{pairs} pairs, none stale");
}
