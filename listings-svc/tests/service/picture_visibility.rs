//! Who sees the pictures of the listings of an account.

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_picture_service_client::StaffPictureServiceClient;
use kit::{Code, Fault};
use sqlx::PgPool;
use uuid::Uuid;

use crate::own_pictures::{COVER, STRANGER, add};
use crate::pictures::{name_of, picture, read, read_as, start_with_game, whole};
use crate::review::listing_name;
use crate::support::{Service, decide};

/// Who sees a picture: the public, the member of an account, a stranger's account, and staff.
async fn seen(service: &Service, account: Uuid, name: &str) -> [bool; 4] {
    let staff = StaffPictureServiceClient::new(service.operator_client.clone());
    let by_staff = staff.clone().read_picture(whole(name)).await;
    let readers = [
        read(service, name).await.map(drop),
        read_as(service, account, name).await.map(drop),
        read_as(service, STRANGER, name).await.map(drop),
        by_staff.map(drop),
    ];
    readers.map(|read| match read {
        Ok(()) => true,
        Err(status) => {
            assert_eq!(Fault::from(status).code, Code::NotFound);
            false
        }
    })
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_public_sees_a_picture_once_a_public_listing_has_it(pool: PgPool) {
    use proto::Decision::{Approve, Reject, TakeDown};
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.game("a-second-game").await;
    let of = (COVER, "a-second-game");
    let [first, second] = [1, 2].map(|n| picture(640, 480, [n, n, n]));
    let added = add(&service, ada, of, &first).await.unwrap();
    let sizes = [&added.picture, &added.small];
    let names = sizes.map(|size| name_of(size.as_ref()).to_string());
    let assert_seen = async |expected: [bool; 4], when: &str| {
        for name in &names {
            assert_eq!(seen(&service, ada, name).await, expected, "{when}: {name}");
        }
    };
    let (members, everybody, staff) = (
        [false, true, false, true],
        [true; 4],
        [false, false, false, true],
    );
    assert_seen(members, "pending").await;
    let decided = async |decision| {
        let name = (listing_name("game", "a-second-game"), None);
        let client = &service.operator_client;
        decide(client, decision, name, "A reason").await.unwrap();
    };
    decided(Reject).await;
    assert_seen(members, "rejected").await;

    // Another cover submits it again; the one before was never public.
    add(&service, ada, of, &second).await.unwrap();
    decided(Approve).await;
    assert_seen(staff, "replaced before the approval").await;
    add(&service, ada, of, &first).await.unwrap();
    assert_seen(everybody, "approved").await;
    service.clock.advance(time::Duration::DAY);
    add(&service, ada, of, &second).await.unwrap();
    assert_seen(everybody, "replaced while it was public").await;
    add(&service, ada, of, &first).await.unwrap();
    decided(TakeDown).await;
    assert_seen(staff, "taken down").await;
}

#[testing::database_test(listings::MIGRATOR)]
async fn an_owner_sees_the_pictures_of_a_game_that_was_approved_before_its_page(pool: PgPool) {
    use proto::Decision::{Approve, TakeDown};
    let service = start_with_game(pool).await;
    let accounts = service.accounts().await;
    let ada = accounts.account;
    accounts.page("new-studio").await;
    accounts.game_under("first-game", "new-studio").await;
    let file = picture(640, 480, [1, 2, 3]);
    let added = add(&service, ada, (COVER, "first-game"), &file).await;
    let name = name_of(added.unwrap().picture.as_ref()).to_string();
    let decided = async |kind: &str, name: &str, decision| {
        let name = (listing_name(kind, name), None);
        let client = &service.operator_client;
        decide(client, decision, name, "A reason").await.unwrap();
    };
    decided("game", "first-game", Approve).await;
    assert_eq!(seen(&service, ada, &name).await, [false, true, false, true]);
    decided("page", "new-studio", Approve).await;
    assert_eq!(seen(&service, ada, &name).await, [true; 4]);
    decided("page", "new-studio", TakeDown).await;
    let staff = [false, false, false, true];
    assert_eq!(seen(&service, ada, &name).await, staff);
}
