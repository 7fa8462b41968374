-- Tables of the kit (proto/kit/src), word for word: a test compares them.

-- How far this service has come in each producer's feed.
create table economy.feed_cursor (
    producer text primary key,
    epoch uuid not null,
    seq bigint not null,
    -- Fingerprint of the change `seq`, by which the producer recognizes its history. Null: the feed is read again from `seq` on.
    last_row bytea,
    -- Marks the rows of the newest rebuild, so that older ones can be told from them.
    generation uuid not null,
    -- While the rows are rebuilt: the change at which they are whole again.
    rebuilding_to bigint,
    -- Changes up to here have had their effects, or are older than this service: they become rows, and no messages.
    effects_after bigint not null,
    -- The time of the newest change whose effects are done. After a restore the producer finds by it which changes are new.
    effects_until timestamptz
);

-- The outbox of a producer. `feed_head` is one row: raising its `seq` is the last thing a transaction does before its commit, so
-- that the order of `seq` is the order of commit.
create table economy.feed_head (
    one boolean primary key default true check (one),
    epoch uuid not null default gen_random_uuid(),
    seq bigint not null default 0,
    -- Which physical database the epoch belongs to; another one means that the data were restored.
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
    -- The write that made the change. A writer whose connection was lost at the commit finds out by it whether the write was committed.
    request uuid not null,
    state bytea not null
);
create index feed_by_entity on economy.feed (entity, id, seq);

-- Epochs before the present one, and where each began: both histories contain what was written up to the fork.
create table economy.feed_epoch (
    epoch uuid primary key,
    parent uuid not null,
    forked_at_seq bigint not null,
    began_at timestamptz not null default now()
);

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

-- Counts the changes of what rates and figures show of games: their slugs and titles, and whether they are published.
create table economy.game_version (
    one boolean primary key default true check (one),
    version bigint not null default 0
);
insert into economy.game_version default values;

-- Currencies and reports.

-- Commands on a currency and on the reports of its game lock its row.
create table economy.currency (
    game_id uuid primary key,
    -- Counts its names.
    revision bigint not null
);

-- The names of a currency: each is valid from `since` until the next one is.
create table economy.currency_name (
    game_id uuid not null references economy.currency (game_id),
    since timestamptz not null,
    name text not null,
    -- A member of the staff, or `account` and an id.
    given_by text not null,
    primary key (game_id, since),
    constraint currency_name_length check (char_length(name) between 1 and 60)
);

-- The name of a currency at a time. Clocks of replicas differ, so a report may be older than the first name of its currency: it has that name.
create function economy.currency_name_at(game uuid, at timestamptz) returns text
    language sql stable
    return coalesce(
        (select name from economy.currency_name where game_id = game and since <= at order by since desc limit 1),
        (select name from economy.currency_name where game_id = game order by since limit 1)
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
    policy_rate numeric,
    naira_per_unit numeric,
    -- Whether rates and figures use the report, from `at` on.
    counted boolean not null,
    -- Why the report was held when it came, and the counted report that it was compared with.
    held text,
    compared_with bigint references economy.report (id),
    -- The decision of staff: on a held report, or to void one that counted.
    rejected boolean not null default false,
    decided_by text,
    decided_at timestamptz,
    reason text,
    -- The supply of the game's report before, plus minted, minus burned. Null for a game's first report.
    supply_expected bigint,
    -- Whether the reported supply differs from it by more than 1 %: staff see such reports.
    supply_differs boolean not null default false,
    constraint report_meal check (meal > 0),
    constraint report_held check (counted or rejected or held is not null),
    constraint report_rejected check (not (counted and rejected)),
    constraint report_decided check ((decided_at is null) = (decided_by is null))
);
create index report_of_game on economy.report (game_id, at desc, id desc);
create index report_counted on economy.report (game_id, at desc, id desc) where counted;
create index report_counted_by_age on economy.report (at) where counted;
-- Staff read and decide on the held reports of a game together.
create index report_held_of_game on economy.report (game_id, id) where not counted and not rejected;
create index report_supply_differs on economy.report (at desc, id desc) where supply_differs;

-- Transfers and the ledger.

-- The exchanges that record swaps. A name is never used again, since swaps and entries name it.
create table economy.exchange (
    name text primary key,
    -- The token itself is not stored.
    token_sha256 bytea not null unique,
    created_at timestamptz not null,
    created_by text not null,
    revoked_at timestamptz
);

-- Swaps between the currencies of two games. A swap of an exchange has a row id of ours, and the exchange's id as `reference`, unique per
-- exchange; a swap that staff imported has no exchange, and its row id is the id in the file.
create table economy.swap (
    id text primary key,
    at timestamptz not null,
    party text not null,
    from_game uuid not null references economy.currency (game_id),
    to_game uuid not null references economy.currency (game_id),
    -- Units of `from_game` that the party gave, and units of `to_game` that it got.
    gave bigint not null,
    got bigint not null,
    recorded_at timestamptz not null,
    exchange text not null default '',
    reference text,
    -- Staff reverse a swap by counter-entries in the ledger. A reversed swap moves no rate.
    reversed_at timestamptz,
    reversed_by text,
    reversal_reason text,
    constraint swap_amounts check (gave > 0 and got > 0),
    constraint swap_pair check (from_game <> to_game),
    constraint swap_reference check ((exchange = '') = (reference is null)),
    constraint swap_reversed check (num_nulls(reversed_at, reversed_by, reversal_reason) in (0, 3))
);
create index swap_by_age on economy.swap (at) include (from_game, to_game, gave, got, party, exchange) where reversed_at is null;
create index swap_by_age_and_id on economy.swap (at desc, id desc);
create unique index swap_of_exchange on economy.swap (exchange, reference) where reference is not null;

-- The end of the hour of a time. The full hour itself is the end of the hour before it.
create function economy.hour_end(at timestamptz) returns timestamptz
    language sql stable
    return date_bin('1 hour', at - interval '1 microsecond', timestamptz 'epoch') + interval '1 hour';

-- Swaps that are not reversed, by pair and hour: rates and figures of each moment are computed from these sums, whatever the number of swaps.
create table economy.swap_hour (
    from_game uuid not null,
    to_game uuid not null,
    hour_end timestamptz not null,
    swaps bigint not null,
    gave numeric not null,
    got numeric not null,
    -- The first and the last party of the hour by name, each with its exchange: two names are two parties.
    first_party text collate "C" not null,
    last_party text collate "C" not null,
    -- The time of the last swap.
    last timestamptz not null,
    primary key (from_game, to_game, hour_end)
);
create index swap_hour_by_age on economy.swap_hour (hour_end);

-- The swaps after one time and up to another: sums of the full hours between, and each swap of the parts of hours at both ends.
create function economy.swaps_within(begins timestamptz, ends timestamptz)
    returns table (
        from_game uuid, to_game uuid, swaps bigint, gave numeric, got numeric, first_party text, last_party text, last timestamptz
    )
    language sql stable
    as $$
        select from_game, to_game, swaps, gave, got, first_party, last_party, last from economy.swap_hour
        where hour_end > economy.hour_end(begins) and hour_end <= date_bin('1 hour', ends, timestamptz 'epoch')
        union all
        select from_game, to_game, 1, gave, got, exchange || ' ' || party collate "C", exchange || ' ' || party collate "C", at
        from economy.swap
        where reversed_at is null and at > begins and at <= least(economy.hour_end(begins), ends)
        union all
        select from_game, to_game, 1, gave, got, exchange || ' ' || party collate "C", exchange || ' ' || party collate "C", at
        from economy.swap
        where reversed_at is null and at <= ends
            and at > greatest(date_bin('1 hour', ends, timestamptz 'epoch'), economy.hour_end(begins))
    $$;

-- Tips of players to games.
create table economy.tip (
    id uuid primary key,
    game_id uuid not null references economy.currency (game_id),
    player text not null,
    amount bigint not null,
    note text not null,
    at timestamptz not null,
    -- Staff reverse a tip by counter-entries in the ledger.
    reversed_at timestamptz,
    reversed_by text,
    reversal_reason text,
    constraint tip_amount check (amount > 0),
    constraint tip_reversed check (num_nulls(reversed_at, reversed_by, reversal_reason) in (0, 3))
);
create index tip_of_game on economy.tip (game_id, at);
create index tip_by_age on economy.tip (at desc, id desc);

-- The ledger: the change that each transfer makes to each account. The entries of a transfer sum to 0 in each currency. Entries are only
-- inserted, so that no account is a row on which all transfers wait.
create table economy.entry (
    id bigint generated always as identity primary key,
    -- `tip`, `swap`, `tip reversal` or `swap reversal`, and the id of the tip or swap.
    transfer_kind text not null,
    transfer_id text not null,
    game_id uuid not null references economy.currency (game_id),
    -- `player`, `maker`, `party` or `exchange`.
    account_kind text not null,
    -- The player or the party; '' for the maker and the exchange.
    holder text not null,
    amount bigint not null,
    at timestamptz not null,
    -- The accounts of an exchange and of its parties are its own; '' for swaps without an exchange, and for tips.
    exchange text not null default ''
);
create index entry_of_exchange on economy.entry (game_id, exchange, account_kind, holder) include (amount);
