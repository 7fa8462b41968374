//! Where the time of a run goes: the longest test targets and tests, the starts of servers, and how idle the cores were.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::mem;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cargo;
use crate::wait::format_duration;

/// How many targets and how many tests are listed.
const LONGEST: usize = 10;

/// The times of all processes of cargo.
#[derive(Debug, Default)]
pub(super) struct Times {
    /// With the share of time that the cores were idle, in percent.
    phases: Vec<(&'static str, Duration, Option<u64>)>,
    targets: Vec<(String, Duration)>,
    tests: Vec<(String, Duration)>,
    /// What started, by name: how often, and how long it took in all.
    starts: BTreeMap<String, (u64, Duration)>,
}

/// The times of one process of cargo, read from its output.
#[derive(Debug)]
pub(super) struct Reader {
    /// How many tests of a target run at once.
    threads: usize,
    target: String,
    since: Instant,
    ended: Vec<(String, Instant)>,
}

impl Reader {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            target: String::new(),
            since: Instant::now(),
            ended: Vec::new(),
        }
    }

    /// Reads a line that was printed at this time.
    pub(super) fn read(&mut self, line: &str, at: Instant, times: &mut Times) {
        if let Some(program) = line.trim_start().strip_prefix("Running ") {
            self.target = source_of(program);
        } else if is_head(line) {
            self.since = at;
            self.ended.clear();
        } else if line.starts_with("test result: ") {
            let took = at.duration_since(self.since);
            times.targets.push((self.target.clone(), took));
            self.end_target(times);
        } else if let Some(name) = ended_test(line) {
            self.ended.push((name.to_owned(), at));
        }
    }

    /// libtest starts the tests in the order of their names, one whenever another one ends. It does not print when it starts one, and the
    /// times at which they ended are enough to say when each was started.
    fn end_target(&mut self, times: &mut Times) {
        let mut by_name = mem::take(&mut self.ended);
        let ends: Vec<Instant> = by_name.iter().map(|(_, at)| *at).collect();
        by_name.sort();
        for (place, (name, ended)) in by_name.into_iter().enumerate() {
            let before = place.checked_sub(self.threads);
            let started = before.map_or(self.since, |before| ends[before]);
            let took = ended.saturating_duration_since(started);
            times.tests.push((format!("{} {name}", self.target), took));
        }
    }
}

/// A part of the run, from its beginning.
#[derive(Debug)]
pub(super) struct Phase {
    since: Instant,
    cores: Option<Cores>,
}

impl Phase {
    pub(super) fn begin() -> Self {
        Self {
            since: Instant::now(),
            cores: Cores::read(),
        }
    }
}

impl Times {
    /// Ends a part of the run, and returns how long it took.
    pub(super) fn end(&mut self, name: &'static str, phase: &Phase) -> Duration {
        let took = phase.since.elapsed();
        let cores = phase.cores.zip(Cores::read());
        let idle = cores.and_then(|(before, after)| after.idle_percent_since(before));
        self.phases.push((name, took, idle));
        took
    }

    /// Reads the starts that the tests have recorded: a line each, with milliseconds and a name.
    pub(super) fn read_starts(&mut self, file: &Path) {
        // Tests that start nothing do not make the file.
        let text = fs::read_to_string(file).unwrap_or_default();
        for (milliseconds, name) in text.lines().filter_map(|line| line.split_once(' ')) {
            let (count, sum) = self.starts.entry(name.to_owned()).or_default();
            *count += 1;
            *sum += Duration::from_millis(milliseconds.parse().unwrap_or_default());
        }
    }
}

impl Display for Times {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nWhere the time went:")?;
        for (name, took, idle) in &self.phases {
            write!(f, "  {:>12}  {name}", format_duration(*took))?;
            match idle {
                Some(idle) => writeln!(f, ", cores idle {idle} %")?,
                None => writeln!(f)?,
            }
        }
        for (name, (count, sum)) in &self.starts {
            let sum = format_duration(*sum);
            writeln!(
                f,
                "  {sum:>12}  {count} starts of {name}, in tests that ran beside each other"
            )?;
        }
        for (title, all) in [
            ("The longest targets", &self.targets),
            ("The longest tests", &self.tests),
        ] {
            let mut longest: Vec<_> = all.iter().collect();
            longest.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
            writeln!(f, "{title}:")?;
            for (name, took) in longest.into_iter().take(LONGEST) {
                writeln!(f, "  {:>12}  {name}", format_duration(*took))?;
            }
        }
        Ok(())
    }
}

/// The ticks of all cores since the machine started.
#[derive(Debug, Clone, Copy)]
struct Cores {
    idle: u64,
    all: u64,
}

impl Cores {
    fn read() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// The first line: user, nice, system, idle, waiting for a disk, interrupts, soft interrupts, stolen.
    fn parse(text: &str) -> Option<Self> {
        let numbers = text.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = numbers
            .split_whitespace()
            .take(8)
            .map(|number| number.parse().ok())
            .collect::<Option<_>>()?;
        Some(Self {
            idle: ticks.get(3)? + ticks.get(4)?,
            all: ticks.iter().sum(),
        })
    }

    fn idle_percent_since(self, before: Self) -> Option<u64> {
        // Linux may correct the ticks of waiting for a disk downwards.
        let idle = self.idle.saturating_sub(before.idle);
        let all = self.all.saturating_sub(before.all);
        idle.saturating_mul(100).checked_div(all)
    }
}

/// The source of a test program, such as `listings-svc/tests/service`, in what cargo prints: `tests/it/main.rs (target/debug/deps/it-0123)`.
/// Several crates have a target `it`. The compiler has written next to the program what it was made of.
fn source_of(program: &str) -> String {
    let path = program.rsplit_once('(').map_or("", |(_, path)| path);
    let path = Path::new(path.trim_end_matches(')'));
    let made_of = fs::read_to_string(cargo::root().join(path).with_extension("d"));
    let made_of = made_of.unwrap_or_default();
    let source = made_of
        .split_once(": ")
        .and_then(|(_, sources)| sources.split_whitespace().next());
    let source = source.unwrap_or(program);
    source
        .trim_end_matches("/main.rs")
        .trim_end_matches("/lib.rs")
        .to_owned()
}

/// `running 12 tests`
fn is_head(line: &str) -> bool {
    let count = line.strip_prefix("running ");
    count.is_some_and(|count| count.ends_with(" tests") || count.ends_with(" test"))
}

/// `test a::b ... ok` → `a::b`.
fn ended_test(line: &str) -> Option<&str> {
    let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let is_result = ["ok", "FAILED", "ignored"]
        .iter()
        .any(|word| result.starts_with(word));
    is_result.then(|| name.trim_end_matches(" - should panic"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds after the beginning at which lines are printed, and the seconds of each test then.
    fn seconds(threads: usize, lines: &[(u64, &str)]) -> Vec<(String, u64)> {
        let (begun, mut times) = (Instant::now(), Times::default());
        let mut reader = Reader::new(threads);
        for (second, line) in lines {
            reader.read(line, begun + Duration::from_secs(*second), &mut times);
        }
        let tests = times.tests.into_iter();
        tests
            .map(|(name, took)| (name.trim_start().to_owned(), took.as_secs()))
            .collect()
    }

    #[test]
    fn a_test_begins_when_one_of_those_before_it_ends() {
        // `a` and `b` begin at once, `c` when `b` ends, `d` when `c` ends.
        let lines = [
            (10, "running 4 tests"),
            (12, "test b ... ok"),
            (15, "test c ... FAILED"),
            (19, "test a - should panic ... ok"),
            (20, "test d ... ok"),
            (20, "test result: FAILED. 3 passed; 1 failed; 0 ignored"),
        ];
        let expected = [("a", 9), ("b", 2), ("c", 3), ("d", 5)];
        let expected = expected.map(|(name, took)| (name.to_owned(), took));
        assert_eq!(seconds(2, &lines), expected);
        let one_by_one = [
            (0, "running 2 tests"),
            (3, "test a ... ok"),
            (7, "test b ... ok"),
            (7, "test result: ok. 2 passed; 0 failed; 0 ignored"),
        ];
        let expected = [("a".to_owned(), 3), ("b".to_owned(), 4)];
        assert_eq!(seconds(1, &one_by_one), expected);
    }

    #[test]
    fn what_a_test_prints_is_no_end_of_a_test() {
        for line in [
            "test result: ok. 12 passed",
            "test a has been running for over 60 seconds",
            "test of something ... and more",
            "thread 'a' panicked",
        ] {
            assert_eq!(ended_test(line), None, "{line}");
        }
        assert_eq!(ended_test("test a::b ... ignored, long: x"), Some("a::b"));
    }

    #[test]
    fn a_waiting_disk_leaves_a_core_idle() {
        let before = Cores::parse("cpu  10 0 10 100 20 0 0 0 0 0\ncpu0 1").unwrap();
        let after = Cores::parse("cpu  20 5 35 140 30 10 0 0 7 0\ncpu0 1").unwrap();
        assert_eq!(after.idle_percent_since(before), Some(50));
        assert_eq!(before.idle_percent_since(before), None);
        assert!(Cores::parse("intr 1 2 3").is_none());
    }
}
