//! How many connections the process may accept: each is a file descriptor.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// File descriptors for all else: the database, Redis, services, logs.
const RESERVED: u64 = 256;

/// How many connections the process can have open: `wanted`, or fewer where its file descriptors do not suffice. Raises the soft
/// limit as far as that needs, and the hard limit allows.
pub fn within_descriptor_limit(wanted: u32) -> u32 {
    let needed = u64::from(wanted) + RESERVED;
    let raise = |(soft, hard)| {
        let limit = needed.min(hard).max(soft);
        setrlimit(Resource::RLIMIT_NOFILE, limit, hard).map(|()| limit)
    };
    let limit = getrlimit(Resource::RLIMIT_NOFILE).and_then(raise);
    // A limit that cannot be read is believed to suffice.
    let possible = limit.unwrap_or(needed).saturating_sub(RESERVED);
    let possible = u32::try_from(possible).unwrap_or(u32::MAX);
    if possible < wanted {
        tracing::warn!(
            wanted,
            possible,
            "too few file descriptors for http_connections; raise the limit (ulimit -n) or lower the setting"
        );
    }
    wanted.min(possible).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_descriptors_bound_the_connections() {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        assert_eq!(within_descriptor_limit(10), 10);
        assert!(
            u64::from(within_descriptor_limit(u32::MAX)) <= hard.saturating_sub(RESERVED).max(1)
        );
    }
}
