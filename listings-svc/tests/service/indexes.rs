//! Frequent queries use an index, even with many rows. The queries are those that sqlx checked when the service was compiled.

use sqlx::{AssertSqlSafe, PgPool};

/// The folder of sqlx's checked queries.
const QUERIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.sqlx");

/// The text of the only checked query that contains all of `parts`.
fn query(parts: &[&str]) -> String {
    let files = std::fs::read_dir(QUERIES).unwrap();
    let texts = files.map(|file| {
        let file = std::fs::read(file.unwrap().path()).unwrap();
        let file: serde_json::Value = serde_json::from_slice(&file).unwrap();
        file["query"].as_str().unwrap().to_owned()
    });
    let mut found = texts.filter(|text| parts.iter().all(|part| text.contains(part)));
    let text = found.next().unwrap();
    assert!(found.next().is_none(), "more than one query has {parts:?}");
    text
}

/// The generic plan of a query.
async fn plan(pool: &PgPool, query: &str, arguments: &str) -> String {
    let mut connection = pool.acquire().await.unwrap();
    for statement in
        ["set plan_cache_mode = force_generic_plan".to_owned(), format!("prepare asked as {query}")]
    {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await.unwrap();
    }
    let explain = AssertSqlSafe(format!("explain execute asked ({arguments})"));
    let lines: Vec<String> = sqlx::query_scalar(explain).fetch_all(&mut *connection).await.unwrap();
    sqlx::raw_sql("deallocate asked").execute(&mut *connection).await.unwrap();
    lines.join("\n")
}

/// 400 accounts with a page each, 20,000 games (a tenth of them pending), 20,000 events, and 10 revisions and a picture of each game.
async fn fill(pool: &PgPool) {
    let statements = "
        insert into listings.listing (id, entity, mode, state, revision, state_at, created_at, updated_at, hidden_by_page, content)
        select lpad(to_hex(n), 32, '0')::uuid, 'page', 'live', 'published', 1, '2026-01-01', '2026-01-01', '2026-01-01', false,
            jsonb_build_object('handle', 'page-' || n, 'name', 'Page')
        from generate_series(1, 400) as n;
        insert into listings.page_owner (page_id, account_id, source, since)
        select lpad(to_hex(n), 32, '0')::uuid, lpad(to_hex(n), 32, '0')::uuid, 'staff', '2026-01-01' from generate_series(1, 400) as n;
        insert into listings.listing (id, entity, mode, state, revision, state_at, created_at, updated_at, hidden_by_page, content, waiting_since)
        select ('1' || lpad(to_hex(n), 31, '0'))::uuid, 'game', 'live', case n % 10 when 0 then 'pending' else 'published' end, 10, '2026-01-01',
            '2026-01-01'::timestamptz + n * interval '1 second', '2026-03-01', false,
            jsonb_build_object('slug', 'game-' || n, 'title', 'Game', 'page_id', lpad(to_hex(1 + n % 400), 32, '0')::uuid),
            case n % 10 when 0 then '2026-02-01'::timestamptz + n * interval '1 second' end
        from generate_series(1, 20000) as n;
        insert into listings.listing (id, entity, mode, state, revision, state_at, created_at, updated_at, hidden_by_page, content, submitter)
        select ('2' || lpad(to_hex(n), 31, '0'))::uuid, 'event', 'live', 'published', 1, '2026-01-01',
            '2026-01-01'::timestamptz + n * interval '1 second', '2026-03-01', false,
            jsonb_build_object('slug', 'event-' || n, 'title', 'Event'), lpad(to_hex(1 + n % 400), 32, '0')::uuid
        from generate_series(1, 20000) as n;
        insert into listings.revision (id, revision, at, actor_kind, actor, before, after)
        select ('1' || lpad(to_hex(n), 31, '0'))::uuid, r, '2026-01-01', 'import', 'x',
            case when r > 1 then '{\"state\": \"pending\"}'::jsonb end, '{\"state\": \"pending\"}'
        from generate_series(1, 20000) as n, generate_series(1, 10) as r;
        insert into listings.picture (hash, uploaded_at)
        select lpad(to_hex(n), 64, '0'), '2026-01-01' from generate_series(1, 20000) as n;
        insert into listings.listing_picture (hash, listing_id)
        select lpad(to_hex(n), 64, '0'), ('1' || lpad(to_hex(n), 31, '0'))::uuid from generate_series(1, 20000) as n;
        analyze";
    sqlx::raw_sql(statements).execute(pool).await.unwrap();
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_queue_and_an_accounts_own_list_use_their_indexes(pool: PgPool) {
    fill(&pool).await;
    let never = "'1970-01-01', '00000000-0000-0000-0000-000000000000'";
    let queue = query(&["limit 101"]);
    let queue = plan(&pool, &queue, &format!("'', {never}, 21")).await;
    assert!(queue.contains("listing_queue"), "{queue}");
    let ever = "'9999-12-31', 'ffffffff-ffff-ffff-ffff-ffffffffffff'";
    let account = "'00000000-0000-0000-0000-000000000007'";
    let own = query(&["with my_listing as", "page_owner"]);
    let own = plan(&pool, &own, &format!("{account}, {ever}, 21")).await;
    for index in ["listing_by_page", "listing_by_submitter"] {
        assert!(own.contains(index), "{own}");
    }
    let rejection = query(&["actor_kind = 'staff'", "'rejected'"]);
    let rejection = plan(&pool, &rejection, account).await;
    assert!(rejection.contains("revision_rejected"), "{rejection}");
    for plan in [queue, own, rejection] {
        for table in ["listing", "revision"] {
            assert!(!plan.contains(&format!("Seq Scan on {table}")), "{plan}");
        }
    }
}

#[testing::database_test(listings::MIGRATOR)]
async fn the_listings_that_name_a_picture_are_read_from_an_index(pool: PgPool) {
    fill(&pool).await;
    let seen = query(&["may_see!"]);
    let account = "'00000000-0000-0000-0000-000000000007'";
    let seen = plan(&pool, &seen, &format!("'0a', false, {account}")).await;
    for index in ["listing_picture_pkey", "page_owner_by_account"] {
        assert!(seen.contains(index), "{seen}");
    }
}
