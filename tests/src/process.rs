//! CPU time and memory of a process, from `/proc` (proc(5)).

use std::fs;
use std::time::Duration;

use crate::children;

/// A process, with its name in a table of figures.
#[derive(Debug, Clone)]
pub struct Process {
    pub name: String,
    pub pid: i32,
}

impl Process {
    pub fn new(name: &str, pid: i32) -> Self {
        let name = name.to_owned();
        Self { name, pid }
    }

    /// CPU time of all threads so far, user and system, in microseconds.
    pub fn cpu(&self) -> f64 {
        self.times()[..2].iter().sum()
    }

    /// CPU time including the children, even those that have ended: PostgreSQL has one process per connection.
    pub fn cpu_with_children(&self) -> f64 {
        let children = children(self.pid).into_iter().map(|pid| {
            let child = Self::new("child", pid.as_raw());
            // A child may end at any moment. The parent then has its time.
            fs::read_to_string(format!("/proc/{pid}/stat")).map_or(0.0, |_| child.cpu())
        });
        self.times().iter().sum::<f64>() + children.sum::<f64>()
    }

    /// User and system time of the process, and of its children that have ended, in microseconds.
    fn times(&self) -> [f64; 4] {
        let stat = self.read("stat");
        // The name in brackets may contain spaces, so count the fields after it. The times are fields 14 to 17, in ticks of 10 ms.
        let after_name = stat.rsplit_once(')').unwrap().1;
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        std::array::from_fn(|place| fields[11 + place].parse::<f64>().unwrap() * 10_000.0)
    }

    /// The time since the process started, to 10 ms.
    pub fn age(&self) -> Duration {
        let stat = self.read("stat");
        // The start is field 22, in ticks of 10 ms since the boot.
        let after_name = stat.rsplit_once(')').unwrap().1;
        let start: f64 = after_name.split_whitespace().nth(19).unwrap().parse().unwrap();
        let uptime = fs::read_to_string("/proc/uptime").unwrap();
        let now: f64 = uptime.split_whitespace().next().unwrap().parse().unwrap();
        Duration::from_secs_f64((now - start / 100.0).max(0.0))
    }

    /// Resident memory in KiB.
    pub fn memory(&self) -> u32 {
        self.kibibytes("VmRSS:")
    }

    /// Peak of the resident memory in KiB since [`Process::forget_peak`].
    pub fn peak(&self) -> u32 {
        self.kibibytes("VmHWM:")
    }

    /// Resets the peak to the current memory.
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
