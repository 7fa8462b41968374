//! The limit of open files.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Raises the limit of open files to `needed` for this process, and for those that it starts from now on.
pub fn may_open(needed: u64) {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    assert!(
        hard >= needed,
        "{needed} file descriptors are needed, and the hard limit is {hard}: raise it (ulimit -Hn)"
    );
    setrlimit(Resource::RLIMIT_NOFILE, soft.max(needed), hard).unwrap();
}
