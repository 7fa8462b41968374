//! Which core a process runs on.

use std::fs;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// Keeps all threads of a process, and all that they start from now on, on one core.
pub(super) fn pin(pid: u32, core: usize) {
    let mut cores = CpuSet::new();
    cores.set(core).unwrap();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).unwrap() {
        let thread = thread.unwrap().file_name();
        let thread = thread.to_str().unwrap().parse().unwrap();
        match sched_setaffinity(Pid::from_raw(thread), &cores) {
            // It has ended meanwhile.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => panic!("core {core} cannot be had: {error}; two cores are needed"),
        }
    }
}
