//! How many files a process may have open.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Lets this process, and those that it starts from now on, have as many files open as are needed.
pub fn may_open(needed: u64) {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    assert!(
        hard >= needed,
        "{needed} file descriptors are needed, and {hard} may be had: raise the limit (ulimit -Hn)"
    );
    setrlimit(Resource::RLIMIT_NOFILE, soft.max(needed), hard).unwrap();
}
