//! A picture is public while a visible listing names it; otherwise only its owners and staff see it.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_picture_service_client::StaffPictureServiceClient;
use kit::{Code, Fault};
use listings::domain::pictures::FileName;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::own_pictures::{COVER, STRANGER, added};
use crate::pictures::{picture, read, read_as, start_with_game};
use crate::review::listing_name;
use crate::support::{File, Service, decide, game};

const EVERYBODY: [bool; 4] = [true; 4];
const OWNERS: [bool; 4] = [false, true, false, true];
const STAFF: [bool; 4] = [false, false, false, true];

/// Whether the public, the account, a stranger's account and staff see a picture, in both sizes.
async fn seen(service: &Service, account: Uuid, picture: &FileName) -> [bool; 4] {
    let staff = StaffPictureServiceClient::new(service.operator_client.clone());
    let mut found = Vec::new();
    for name in picture.sizes() {
        let name = name.to_string();
        let request = proto::ReadPictureRequest { name: name.clone(), most: u32::MAX, offset: 0 };
        let by_staff = staff.clone().read_picture(request).await;
        let readers = [
            read(service, &name).await.map(drop),
            read_as(service, account, &name).await.map(drop),
            read_as(service, STRANGER, &name).await.map(drop),
            by_staff.map(drop),
        ];
        found.push(readers.map(|read| match read {
            Ok(()) => true,
            Err(status) => {
                assert_eq!(Fault::from(status).code, Code::NotFound);
                false
            }
        }));
    }
    assert_eq!(found[0], found[1], "both sizes or none");
    found[0]
}

async fn decided(service: &Service, kind: &str, name: &str, decision: proto::Decision) {
    let name = (listing_name(kind, name), None);
    let client = &service.operator_client;
    decide(client, decision, name, "A reason").await.unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_public_sees_a_picture_while_a_visible_listing_names_it(pool: PgPool) {
    use proto::Decision::{Approve, Reject, Restore, TakeDown};
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.game("a-second-game").await;
    let of = (COVER, "a-second-game");
    let [first, second] = [1, 2].map(|n| picture(640, 480, [n, n, n]));
    let cover = added(&service, ada, of, &first).await;
    let assert_seen = async |expected: [bool; 4], when: &str| {
        assert_eq!(seen(&service, ada, &cover).await, expected, "{when}");
    };
    assert_seen(OWNERS, "pending").await;
    let decided = async |decision| decided(&service, "game", "a-second-game", decision).await;
    decided(Reject).await;
    assert_seen(OWNERS, "rejected").await;

    // A new cover resubmits the game.
    added(&service, ada, of, &second).await;
    decided(Approve).await;
    assert_seen(STAFF, "replaced before the approval").await;
    added(&service, ada, of, &first).await;
    assert_seen(EVERYBODY, "approved").await;
    added(&service, ada, of, &second).await;
    assert_seen(STAFF, "replaced while it was public").await;
    added(&service, ada, of, &first).await;
    decided(TakeDown).await;
    assert_seen(OWNERS, "taken down").await;
    decided(Restore).await;
    assert_seen(EVERYBODY, "restored").await;
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_pictures_of_a_game_are_public_with_its_page(pool: PgPool) {
    use proto::Decision::{Approve, Restore, TakeDown};
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.page("new-studio").await;
    accounts.game_under("first-game", "new-studio").await;
    let file = picture(640, 480, [1, 2, 3]);
    let cover = added(&service, ada, (COVER, "first-game"), &file).await;
    for (kind, name, decision, expected) in [
        ("game", "first-game", Approve, OWNERS),
        ("page", "new-studio", Approve, EVERYBODY),
        ("page", "new-studio", TakeDown, OWNERS),
        ("page", "new-studio", Restore, EVERYBODY),
    ] {
        decided(&service, kind, name, decision).await;
        let seen = seen(&service, ada, &cover).await;
        assert_eq!(seen, expected, "{decision:?} {name}");
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn a_picture_is_also_visible_through_its_public_url(pool: PgPool) {
    use proto::Decision::TakeDown;
    let service = start_with_game(pool).await;
    let ada = service.accounts().await.account;
    let file = picture(640, 480, [1, 2, 3]);
    let cover = added(&service, ada, (COVER, "a-game"), &file).await;
    let mut other = game("other", "Other");
    other["cover_url"] = json!(format!("https://mchezo.example{}", cover.address()));
    service.import(&File::rows("game", &[other])).await;
    decided(&service, "game", "a-game", TakeDown).await;
    assert_eq!(seen(&service, ada, &cover).await, EVERYBODY);
    decided(&service, "game", "other", TakeDown).await;
    assert_eq!(seen(&service, ada, &cover).await, OWNERS);
}
