//! The process and its build as metrics. The names are those of Prometheus's client libraries, which dashboards know.

use std::fs;

use metrics::Gauge;
use nix::sys::resource::{Resource, getrlimit};

use crate::clock::Clock;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit of the build, from its environment.
const COMMIT: Option<&str> = option_env!("BUILD_COMMIT");
/// The unit of CPU times in `/proc`, on every architecture (proc(5), `USER_HZ`).
const TICKS_PER_SECOND: f64 = 100.0;

/// What changes while the process runs. CPU time is a gauge here, because counters of the `metrics` crate are whole numbers.
pub(super) struct ResourceUsage {
    cpu: Gauge,
    memory: Gauge,
    descriptors: Gauge,
    descriptor_limit: Gauge,
}

impl ResourceUsage {
    /// Also sets what does not change.
    pub(super) fn start() -> Self {
        let commit = COMMIT.unwrap_or(VERSION);
        metrics::gauge!("build_info", "version" => VERSION, "commit" => commit).set(1.0);
        let now = Clock::system().now();
        let start = (now - time::OffsetDateTime::UNIX_EPOCH).as_seconds_f64();
        metrics::gauge!("process_start_time_seconds").set(start);
        Self {
            cpu: metrics::gauge!("process_cpu_seconds_total"),
            memory: metrics::gauge!("process_resident_memory_bytes"),
            descriptors: metrics::gauge!("process_open_fds"),
            descriptor_limit: metrics::gauge!("process_max_fds"),
        }
    }

    /// Reads `/proc`. A value that cannot be read stays.
    pub(super) fn update(&self) {
        let set = |gauge: &Gauge, value: Option<f64>| {
            if let Some(value) = value {
                gauge.set(value);
            }
        };
        let read = |file| fs::read_to_string(file).ok();
        set(&self.cpu, read("/proc/self/stat").and_then(|it| cpu_seconds(&it)));
        let status = read("/proc/self/status");
        set(&self.memory, status.and_then(|status| resident_bytes(&status)));
        let descriptors = fs::read_dir("/proc/self/fd").ok();
        set(
            &self.descriptors,
            descriptors.and_then(|all| Some(u32::try_from(all.count()).ok()?.into())),
        );
        let limit = getrlimit(Resource::RLIMIT_NOFILE)
            .ok()
            .map(|(soft, _)| u32::try_from(soft).unwrap_or(u32::MAX));
        set(&self.descriptor_limit, limit.map(f64::from));
    }
}

/// User and system time, from `/proc/self/stat`.
fn cpu_seconds(stat: &str) -> Option<f64> {
    // The name of the process, in brackets, may have spaces. The first field after it is the third one; the times are the 14th and 15th.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut ticks = fields.split(' ').skip(11);
    let (user, system): (f64, f64) = (ticks.next()?.parse().ok()?, ticks.next()?.parse().ok()?);
    Some((user + system) / TICKS_PER_SECOND)
}

/// Resident memory, from `/proc/self/status`.
fn resident_bytes(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    let kibibytes: f64 = line.trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_proc_are_read() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 900 0 3 0 125 50 0 0 20 0 9 0 300 1000 200 18";
        assert!((cpu_seconds(stat).unwrap() - 1.75).abs() < 1e-9);
        let status = "Name:\tgateway\nVmHWM:\t    900 kB\nVmRSS:\t    64 kB\n";
        assert!((resident_bytes(status).unwrap() - 65_536.0).abs() < 0.5);
        let own = fs::read_to_string("/proc/self/stat").unwrap();
        assert!(cpu_seconds(&own).is_some());
        let own = fs::read_to_string("/proc/self/status").unwrap();
        assert!(resident_bytes(&own).unwrap() > 0.0);
        assert_eq!((cpu_seconds(""), resident_bytes("")), (None, None));
    }
}
