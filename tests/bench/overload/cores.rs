//! Pins processes to cores.

use std::fs;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// Pins all threads of a process, and those that they start later, to one core.
pub(super) fn pin(pid: u32, core: usize) {
    let mut cores = CpuSet::new();
    cores.set(core).unwrap();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).unwrap() {
        let thread = thread.unwrap().file_name().to_str().unwrap().parse().unwrap();
        match sched_setaffinity(Pid::from_raw(thread), &cores) {
            // The thread has ended in the meantime.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => panic!("core {core} cannot be had: {error}; two cores are needed"),
        }
    }
}
