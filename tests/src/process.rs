//! What a process has used, from `/proc` (proc(5)).

use std::fs;

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
        let stat = self.read("stat");
        // The name, in brackets, may hold anything; the third field comes after it. Times are the 14th and 15th, in ticks of 10 ms.
        let fields: Vec<&str> = stat
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .collect();
        let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        ticks * 10_000.0
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
