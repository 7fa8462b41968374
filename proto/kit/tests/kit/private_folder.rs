//! Servers of tests in a checkout that only root may enter: PostgreSQL runs as another user.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use testing::postgres::Server;

async fn start(base: &Path) -> Server {
    let server = Server::new_below(base).await.unwrap();
    let one: i32 = sqlx::query_scalar("select 1")
        .fetch_one(&server.pool)
        .await
        .unwrap();
    assert_eq!(one, 1);
    server
}

#[tokio::test]
async fn a_server_starts_whatever_folder_the_checkout_is_in() {
    // Its mode is 0700.
    let folder = tempfile::tempdir().unwrap();
    let private = folder.path().join("a private checkout");
    std::fs::create_dir(&private).unwrap();
    let link = folder.path().join("link");
    symlink(&private, &link).unwrap();
    start(&link).await;

    // A link that leads out of the private folder, as to the memory.
    let open = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(open.path(), Permissions::from_mode(0o755)).unwrap();
    let data = private.join("data");
    symlink(open.path(), &data).unwrap();
    let server = start(&data).await;
    let open = open.path().canonicalize().unwrap();
    assert!(server.folder.starts_with(&open), "{server:?}");
}
