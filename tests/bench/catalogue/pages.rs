//! The memory of `web` while a crawler reads the sitemap of a million games.

use e2e::{Fleet, Process, WebClient};
use tokio::time::Instant;

use super::MANY;
use crate::results::{Measure, Report};

pub(super) async fn sitemap(report: &mut Report, fleet: &Fleet) {
    let mut crawler = WebClient::new(fleet);
    let index = crawler.get("/sitemap.xml").await.text;
    let web = Process::new("web", fleet.pids()["web"]);
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

/// The addresses in a file of the sitemap or in its index.
fn locations(xml: &str) -> impl Iterator<Item = &str> {
    let entries = xml.split("<loc>").skip(1);
    entries.filter_map(|entry| entry.split("</loc>").next())
}
