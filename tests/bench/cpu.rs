//! CPU time of processes, from `/proc` (proc(5)): all threads, user and system.

/// A process with the name that it has in the table.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) pid: i32,
}

impl Process {
    /// CPU time that it has used so far, in microseconds.
    pub(crate) fn used(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid));
        let stat = stat.unwrap_or_else(|error| panic!("{} has ended: {error}", self.name));
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
}
