//! Whether a search finds what was meant: questions made from the live directory, asked of catalogue-svc and of PostgreSQL's `pg_trgm`
//! over the same rows.

mod directory;
mod pg_trgm;
mod questions;

use e2e::SmallFleet;

use self::directory::Directory;
use self::pg_trgm::PgTrgm;
use self::questions::{Question, Rng};
use crate::results::{Measure, Report};

/// Questions of a kind at most.
const OF_A_KIND: usize = 100;
const RANDOM: usize = 40;
/// Hits that are looked at.
const FIRST: u32 = 3;
/// What every measure of shares begins with.
const SUBJECT: &str = "queries of /search made from the live directory: share with the intended row first / among the first three";

pub(crate) async fn run(report: &mut Report) {
    let mut small = SmallFleet::new();
    let fleet = small.up().await;
    let mut directory = Directory::open(&fleet).await;
    let rows = directory.rows().await;
    let mut pg_trgm = PgTrgm::of(&fleet.database_url, &rows).await;
    let mut rng = Rng::new();
    let mut all = [const { Vec::new() }; 3];
    for (kind, questions) in questions::all(&rows, OF_A_KIND, &mut rng) {
        let mut scores = [Score::default(); 3];
        for question in &questions {
            let found = [
                directory.search(&question.q).await,
                pg_trgm.by_similarity(&question.q).await,
                pg_trgm.by_word_similarity(&question.q).await,
            ];
            for (score, found) in scores.iter_mut().zip(&found) {
                score.note(question, found);
            }
        }
        let measure = Measure::new(format!("{SUBJECT}, {kind}")).required("as pg_trgm");
        let shares = scores.map(|score| score.shares(questions.len()));
        let details = format!("{} queries over {} rows", questions.len(), rows.len());
        report_shares(report, measure, shares, &details);
        for (all, score) in all.iter_mut().zip(scores) {
            all.push(score.shares(questions.len()));
        }
    }
    // Each kind weighs the same.
    let measure = Measure::new(format!("{SUBJECT}, all kinds")).required("0.90 / 0.99");
    report_shares(report, measure, all.map(|shares| mean(&shares)), "");
    let mut answered = [0; 3];
    for _ in 0..RANDOM {
        let q = questions::consonants(&mut rng);
        let found = [
            directory.search(&q).await,
            pg_trgm.by_similarity(&q).await,
            pg_trgm.by_word_similarity(&q).await,
        ];
        for (answered, found) in answered.iter_mut().zip(&found) {
            *answered += usize::from(!found.is_empty());
        }
    }
    let [ours, similarity, word_similarity] = answered;
    let measure = Measure::new(format!(
        "of {RANDOM} strings of random consonants, the number that find a row by /search"
    ));
    let details =
        format!("pg_trgm by similarity {similarity}, by word_similarity {word_similarity}");
    report.figure(measure.required("0"), ours.to_string(), &details);
}

/// How often the row that was meant came.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    first: u32,
    first_three: u32,
}

/// The same as shares of the questions.
type Shares = [f64; 2];

impl Score {
    fn note(&mut self, question: &Question, found: &[String]) {
        self.first += u32::from(found.first() == Some(&question.meant));
        self.first_three += u32::from(found.contains(&question.meant));
    }

    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    fn shares(self, asked: usize) -> Shares {
        [self.first, self.first_three].map(|found| f64::from(found) / asked as f64)
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn mean(shares: &[Shares]) -> Shares {
    [0, 1].map(|which| shares.iter().map(|shares| shares[which]).sum::<f64>() / shares.len() as f64)
}

/// Reports the shares of /search, with those of `pg_trgm` over the same names, creators and cities.
fn report_shares(
    report: &mut Report,
    measure: Measure,
    [ours, similarity, word_similarity]: [Shares; 3],
    details: &str,
) {
    let shares = |[first, first_three]: Shares| format!("{first:.2} / {first_three:.2}");
    let details = format!(
        "pg_trgm by similarity {}, by word_similarity {}; {details}",
        shares(similarity),
        shares(word_similarity)
    );
    let details = details.trim_end_matches("; ");
    report.figure(measure, shares(ours), details);
}
