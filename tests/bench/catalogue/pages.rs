//! The public site with a million games: the memory of `web` while the whole sitemap is read, and lists compared with those of 91 games.

use e2e::{Fleet, Process, SmallFleet, WebClient};
use tokio::time::Instant;

use super::MANY;
use super::fill::{fill, restart};
use super::generate::Generator;
use crate::results::{Measure, Report};
use crate::side::{Side, compare};
use crate::wrk::Request;

const LISTS: [(&str, &str); 3] = [
    ("list of games", "/games"),
    (
        "list of games with three filters",
        "/games?platform=web&country=KE&stage=released",
    ),
    ("search of two words", "/search?q=lagos+run"),
];

pub(crate) async fn run(report: &mut Report) {
    let (mut one, mut other) = (SmallFleet::new(), SmallFleet::new());
    for small in [&mut one, &mut other] {
        small.set("WEB_PAGES_PER_MINUTE", "4000000000");
        small.set("WEB_PERSON_PAGES_PER_MINUTE", "4000000000");
    }
    let few = one.up_with(&[]).await;
    let many = other.up_with(&[]).await;
    fill(&many, &Generator::new(MANY)).await;
    let (many, _) = restart(&other).await;
    sitemap(report, &many).await;
    for (name, path) in LISTS {
        let measure = Measure::new(format!(
            "{name} of the public site, with {MANY} games compared with 91"
        ));
        let sides = [side("91", &few, path), side("1,000,000", &many, path)];
        compare(report, &measure, &sides[0], &sides[1]).await;
    }
}

fn side(name: &'static str, fleet: &Fleet, path: &str) -> Side {
    Side {
        name,
        request: Request::get(&format!("{}{path}", WebClient::new(fleet).base)),
        processes: ["web", "catalogue-svc"]
            .map(|name| process(fleet, name))
            .into(),
    }
}

fn process(fleet: &Fleet, name: &str) -> Process {
    Process::new(name, fleet.pids()[name])
}

/// Reads every file that the sitemap names, as a crawler does.
async fn sitemap(report: &mut Report, fleet: &Fleet) {
    let mut crawler = WebClient::new(fleet);
    let index = crawler.get("/sitemap.xml").await.text;
    let web = process(fleet, "web");
    let (before, start) = (web.memory(), Instant::now());
    web.forget_peak();
    let (mut addresses, mut bytes, mut largest) = (0, 0, 0);
    for file in locations(&index) {
        let path = file.rsplit_once('/').unwrap().1;
        let url = format!("{}/sitemap/{path}", crawler.base);
        let answer = crawler.http.get(url).send().await.unwrap();
        let text = answer.error_for_status().unwrap().text().await.unwrap();
        addresses += locations(&text).count();
        bytes += text.len();
        largest = largest.max(text.len());
    }
    let measure = Measure::new(format!(
        "growth of the memory of web while the sitemap of {MANY} games is read file by file, MiB"
    ));
    let grown = web.peak().saturating_sub(before) / 1_024;
    let details = format!(
        "{} files with {addresses} addresses, {} MiB, the largest {} KiB, in {:.1} s; from {} to at most {} MiB",
        locations(&index).count(),
        bytes >> 20,
        largest >> 10,
        start.elapsed().as_secs_f64(),
        before / 1_024,
        web.peak() / 1_024
    );
    report.figure(measure, grown.to_string(), &details);
}

/// The addresses that a file or the index lists.
fn locations(xml: &str) -> impl Iterator<Item = &str> {
    let entries = xml.split("<loc>").skip(1);
    entries.filter_map(|entry| entry.split("</loc>").next())
}
