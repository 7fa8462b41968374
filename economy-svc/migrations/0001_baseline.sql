-- Tables of the kit (proto/kit/src), word for word: a test compares them.

-- How far this service has come in each producer's feed.
create table economy.feed_cursor (
    producer text primary key,
    epoch uuid not null,
    seq bigint not null,
    -- The time of the change `seq`: after changes were lost, the producer has another one under that number.
    at timestamptz not null,
    -- Marks the rows of the newest rebuild, so that older ones can be told from them.
    generation uuid not null,
    -- While the rows are rebuilt: the change at which they are whole again.
    rebuilding_to bigint,
    -- Changes up to this time have had their effects, or are older than this service: they become rows, and no messages.
    effects_until timestamptz not null
);

-- The outbox of a producer. `feed_head` is one row: raising its `seq` is the last thing a transaction does before its commit, so
-- that the order of `seq` is the order of commit.
create table economy.feed_head (
    one boolean primary key default true check (one),
    epoch uuid not null default gen_random_uuid(),
    seq bigint not null default 0,
    -- The time of the newest change. Times are in the order of `seq`, whatever the clocks of the replicas say.
    at timestamptz not null default 'epoch',
    -- Which physical database the epoch belongs to; in another one, a new epoch begins.
    incarnation text not null default ''
);
insert into economy.feed_head default values;

create table economy.feed (
    seq bigint primary key,
    entity text not null,
    id text not null,
    revision bigint not null,
    event text not null,
    announced boolean not null,
    happening boolean not null,
    at timestamptz not null,
    state bytea not null
);
create index feed_by_entity on economy.feed (entity, id, seq);

-- Work that runs in one replica at a time.
create table economy.lease (
    name text primary key,
    holder uuid not null,
    expires_at timestamptz not null
);

-- Answers to calls with an Idempotency-Key, for a day.
create table economy.idempotency (
    account_id uuid not null,
    route text not null,
    key text not null,
    -- Of the request's body: the same key with another body is a mistake of the caller.
    body_sha256 bytea not null,
    answer jsonb not null,
    at timestamptz not null,
    primary key (account_id, route, key)
);
create index idempotency_by_age on economy.idempotency (at);

-- Actions of staff, each in the transaction of the action, and the actions that a role did not allow.
create table economy.audit (
    id uuid primary key,
    at timestamptz not null,
    member text not null,
    role text not null,
    action text not null,
    entity text not null,
    name text not null,
    -- Whether the role of the member did not allow it.
    refused boolean not null,
    details jsonb not null
);
create index audit_by_age on economy.audit (at, id);
create index audit_by_member on economy.audit (member, at, id);
create index audit_by_name on economy.audit (entity, name, at, id);

-- The read model: games and pages of listings-svc.
create table economy.game (
    id uuid primary key,
    generation uuid not null,
    mode text not null check (mode in ('live', 'test')),
    slug text not null,
    title text not null,
    -- Callers can look up the currencies of published games only (§2.7).
    published boolean not null,
    -- The owners of this page may register the game's currency.
    page_id uuid
);
create index game_by_slug on economy.game (mode, slug);
create index game_of_page on economy.game (page_id);

create table economy.page (
    id uuid primary key,
    generation uuid not null,
    -- The accounts that own the page.
    owners uuid[] not null
);
create index page_owners on economy.page using gin (owners);

-- Counts the changes of what rates and figures show of games (their slugs and titles, and whether they are published), and the imports and
-- removals of swaps. The changes of currencies and reports are counted per currency, so that reports of two games do not wait for each other.
create table economy.game_and_swap_changes (
    one boolean primary key default true check (one),
    changes bigint not null default 0
);
insert into economy.game_and_swap_changes default values;

-- Currencies and reports.

-- The currencies of games. Commands on a currency and on the reports of its game lock its row. Currencies are never deleted.
create table economy.currency (
    game_id uuid primary key,
    name text not null,
    -- When it got this name, and from whom: a member of the staff, or `account` and an id.
    since timestamptz not null,
    given_by text not null,
    -- How often accounts have renamed it on this UTC day. Null: never.
    renamed_on date,
    renames integer not null default 0,
    -- Counts the changes of what rates and figures show of the currency: its name, and its reports. The first is its registration.
    changes bigint not null default 1,
    constraint currency_name_length check (char_length(name) between 1 and 60)
);

-- Reports are never deleted.
create table economy.report (
    id bigint generated always as identity primary key,
    game_id uuid not null references economy.currency (game_id),
    at timestamptz not null,
    -- The time of the game's report before, whether that one counts or not; null for a game's first report.
    previous_at timestamptz,
    supply bigint not null,
    minted bigint not null,
    burned bigint not null,
    meal bigint not null,
    ride bigint not null,
    wage bigint not null,
    rent bigint not null,
    -- 60 meals, 40 rides, 20 days' wages and a rent.
    cost bigint not null,
    output bigint not null,
    active_players bigint not null,
    policy_rate double precision,
    naira_per_unit double precision,
    -- Whether rates and figures use the report, from `at` on.
    counted boolean not null,
    -- Why the report was held when it came, and the counted report that it was compared with.
    held text,
    compared_with bigint references economy.report (id),
    -- Whether it is the first in a new unit of the currency: figures are not compared across it.
    new_unit boolean not null default false,
    -- Whether staff rejected it while it was held.
    rejected boolean not null default false,
    -- Whether staff retracted it after it had counted.
    retracted boolean not null default false,
    -- The last decision of staff on it.
    decided_by text,
    decided_at timestamptz,
    reason text,
    constraint report_meal check (meal > 0),
    constraint report_held check (counted or rejected or retracted or held is not null),
    constraint report_state check (counted::int + rejected::int + retracted::int <= 1),
    constraint report_decided check ((decided_at is null) = (decided_by is null))
);
create index report_of_game on economy.report (game_id, at desc, id desc);
create index report_counted on economy.report (game_id, at desc, id desc) where counted;
create index report_counted_by_age on economy.report (at) where counted;
create index report_new_unit on economy.report (game_id, at) where counted and new_unit;
-- For the list of staff.
create index report_held on economy.report (id) where not counted and not rejected and not retracted;

-- Since when each currency has its current unit; currencies that never had another are missing.
create view economy.current_unit as
select game_id, max(at) as since from economy.report where counted and new_unit group by game_id;

-- Swaps and tips.

-- Swaps between the currencies of two games, which staff imported. The id is that in the file.
create table economy.swap (
    id text primary key,
    at timestamptz not null,
    -- Empty after 90 days.
    party text not null,
    from_game uuid not null references economy.currency (game_id),
    to_game uuid not null references economy.currency (game_id),
    -- Units of `from_game` that the party gave, and units of `to_game` that it got.
    gave bigint not null,
    got bigint not null,
    constraint swap_amounts check (gave > 0 and got > 0),
    constraint swap_pair check (from_game <> to_game)
);
create index swap_by_age on economy.swap (at) include (from_game, to_game, gave, got, party);
create index swap_by_age_and_id on economy.swap (at desc, id desc);
create index swap_with_party on economy.swap (at) where party <> '';

-- Tips of players to games.
create table economy.tip (
    id uuid primary key,
    game_id uuid not null references economy.currency (game_id),
    -- Empty, as the note is, after 90 days.
    player text not null,
    amount bigint not null,
    note text not null,
    at timestamptz not null,
    constraint tip_amount check (amount > 0)
);
create index tip_of_game on economy.tip (game_id, at);
create index tip_by_age on economy.tip (at desc, id desc);
create index tip_with_player on economy.tip (at) where player <> '';
