//! Finds programs.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Folders of administrative programs, which are often not in the PATH of an ordinary user.
const SYSTEM: &str = "/usr/local/sbin:/usr/sbin:/sbin";

/// The path of a program: in PATH, or in [`SYSTEM`].
pub fn find(name: &str) -> Option<PathBuf> {
    search(name, &env::var_os("PATH").unwrap_or_default())
}

fn search(name: &str, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path)
        .chain(env::split_paths(SYSTEM))
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_of_the_path_wins() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for dir in [&one, &two] {
            std::fs::write(dir.path().join("redis-server"), "").unwrap();
        }
        let path = env::join_paths([one.path(), two.path()]).unwrap();
        assert_eq!(search("redis-server", &path), Some(one.path().join("redis-server")));
        assert_eq!(search("no-such-program", &path), None);
    }
}
