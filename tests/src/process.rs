//! What a process has used, from `/proc` (proc(5)).

use std::fs;
use std::time::Duration;

use crate::children;

/// A process with the name that it has in a table of figures.
#[derive(Debug, Clone)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// Its number.
    pub pid: i32,
}

impl Process {
    /// A process called `name`.
    pub fn new(name: &str, pid: i32) -> Self {
        let name = name.to_owned();
        Self { name, pid }
    }

    /// CPU time that it has used so far, all threads, user and system, in microseconds.
    pub fn cpu(&self) -> f64 {
        self.times()[..2].iter().sum()
    }

    /// The same with that of its children, also of those that have ended: PostgreSQL is one process for each connection.
    pub fn cpu_with_children(&self) -> f64 {
        let children = children(self.pid).into_iter().map(|pid| {
            let child = Self::new("child", pid.as_raw());
            // It may end at any moment, and then its time is its parent's.
            fs::read_to_string(format!("/proc/{pid}/stat")).map_or(0.0, |_| child.cpu())
        });
        self.times().iter().sum::<f64>() + children.sum::<f64>()
    }

    /// User and system time of its own, and of its children that have ended, in microseconds.
    fn times(&self) -> [f64; 4] {
        let stat = self.read("stat");
        // The name, in brackets, may hold anything; the third field comes after it. Times are the 14th to 17th, in ticks of 10 ms.
        let after_name = stat.rsplit_once(')').unwrap().1;
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        std::array::from_fn(|place| fields[11 + place].parse::<f64>().unwrap() * 10_000.0)
    }

    /// How long ago it was started, to 10 ms.
    pub fn age(&self) -> Duration {
        let stat = self.read("stat");
        // The start is the 22nd field, in ticks of 10 ms since the machine was started.
        let after_name = stat.rsplit_once(')').unwrap().1;
        let start: f64 = after_name
            .split_whitespace()
            .nth(19)
            .unwrap()
            .parse()
            .unwrap();
        let uptime = fs::read_to_string("/proc/uptime").unwrap();
        let now: f64 = uptime.split_whitespace().next().unwrap().parse().unwrap();
        Duration::from_secs_f64((now - start / 100.0).max(0.0))
    }

    /// Memory that it has now, in KiB.
    pub fn memory(&self) -> u32 {
        self.kibibytes("VmRSS:")
    }

    /// The most memory that it has had since [`Process::forget_peak`], in KiB.
    pub fn peak(&self) -> u32 {
        self.kibibytes("VmHWM:")
    }

    /// Makes the memory that it has now its peak.
    pub fn forget_peak(&self) {
        fs::write(format!("/proc/{}/clear_refs", self.pid), "5").unwrap();
    }

    fn kibibytes(&self, name: &str) -> u32 {
        let status = self.read("status");
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim_end_matches("kB").trim().parse().unwrap()
    }

    fn read(&self, file: &str) -> String {
        let text = fs::read_to_string(format!("/proc/{}/{file}", self.pid));
        text.unwrap_or_else(|error| panic!("{} has ended: {error}", self.name))
    }
}
