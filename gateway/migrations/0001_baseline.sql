-- Tables of the kit (proto/kit/src), word for word: a test compares them.

-- How far this service has come in each producer's feed.
create table gateway.feed_cursor (
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
create table gateway.feed_head (
    one boolean primary key default true check (one),
    epoch uuid not null default gen_random_uuid(),
    seq bigint not null default 0,
    -- The time of the newest change. Times are in the order of `seq`, whatever the clocks of the replicas say.
    at timestamptz not null default 'epoch',
    -- Which physical database the epoch belongs to; in another one, a new epoch begins.
    incarnation text not null default ''
);
insert into gateway.feed_head default values;

create table gateway.feed (
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
create index feed_by_entity on gateway.feed (entity, id, seq);

-- Work that runs in one replica at a time.
create table gateway.lease (
    name text primary key,
    holder uuid not null,
    expires_at timestamptz not null
);

-- Every change by staff and people, written in the transaction of the change, and every call that a role did not allow.
create table gateway.audit (
    -- In the order of time.
    id uuid primary key,
    at timestamptz not null,
    member text not null,
    role text not null,
    action text not null,
    -- The type of what was changed, such as `account` or `key`, and its e-mail address, id or name.
    entity text not null,
    name text not null,
    -- Whether the role did not allow the call.
    refused boolean not null,
    details jsonb not null
);
create index audit_by_age on gateway.audit (at, id);
create index audit_by_member on gateway.audit (member, at, id);
create index audit_by_name on gateway.audit (entity, name, at, id);

-- Accounts.

create table gateway.account (
    id uuid primary key,
    name text not null,
    plan text not null,
    created_at timestamptz not null,
    revision bigint not null
);

-- Keys, and requests for live keys (§5.2).

create table gateway.key (
    id uuid primary key,
    account_id uuid not null references gateway.account (id),
    -- The key that rotations began with, or the key itself. All keys of a chain have one minute together.
    chain uuid not null,
    -- SHA-256 of the secret, which itself is not stored.
    hash bytea not null constraint key_hash unique check (octet_length(hash) = 32),
    name text not null,
    mode text not null check (mode in ('test', 'live')),
    kind text not null check (kind in ('account', 'secret', 'public')),
    may_write boolean not null,
    -- Slug of the game that a secret or public key belongs to.
    game text,
    last4 text not null,
    created_at timestamptz not null,
    -- Written in batches.
    last_used_at timestamptz,
    -- Set by a rotation: the key works until then, and `rotated_to` is its successor.
    grace_until timestamptz,
    rotated_to uuid references gateway.key (id),
    revoked_at timestamptz,
    revision bigint not null,
    -- The person who has seen the secret: who created, revealed or rotated the key in the dashboard. Null: staff did.
    seen_by uuid,
    -- The form of the dashboard that created the key, which creates no second one.
    form_id uuid,
    constraint key_of_game check ((kind = 'account') = (game is null)),
    constraint key_public_reads check (kind <> 'public' or not may_write),
    constraint key_grace check ((grace_until is null) = (rotated_to is null))
);
create index key_by_account on gateway.key (account_id, id);
create index key_by_game on gateway.key (game) where game is not null;
create unique index key_by_successor on gateway.key (rotated_to);
create unique index key_by_form on gateway.key (account_id, form_id) where form_id is not null;

-- A revealed request has become the key with its id. The request has no secret.
create table gateway.key_request (
    id uuid primary key,
    account_id uuid not null references gateway.account (id),
    name text not null,
    kind text not null check (kind in ('account', 'secret', 'public')),
    may_write boolean not null,
    -- Slug of the game that a secret or public key is to belong to.
    game text,
    state text not null check (state in ('asked', 'approved', 'rejected', 'revealed')),
    asked_at timestamptz not null,
    -- When it ended without a key, who ended it, and why; set together.
    ended_at timestamptz,
    ended_by text check (ended_by in ('staff', 'account')),
    end_reason text,
    revision bigint not null,
    -- The form of the dashboard that made the request, which makes no second one.
    form_id uuid,
    constraint key_request_of_game check ((kind = 'account') = (game is null)),
    constraint key_request_public_reads check (kind <> 'public' or not may_write),
    constraint key_request_ended check ((state = 'rejected') = (ended_at is not null)),
    constraint key_request_ended_by check ((ended_at is null) = (ended_by is null)),
    constraint key_request_end_reason check ((ended_at is null) = (end_reason is null))
);
create index key_request_by_state on gateway.key_request (state, id);
create index key_request_open on gateway.key_request (account_id) where state in ('asked', 'approved');
-- The key requests of one account, for its people; `key_request_open` has only those that are open.
create index key_request_by_account on gateway.key_request (account_id, id);
create unique index key_request_by_form on gateway.key_request (account_id, form_id) where form_id is not null;

-- Games and pages of the listings feed: a key of a game works while the game is published and the key's account owns the game's page.

-- Rises with every change of a game or a page, for the replicas that do not follow the feed themselves.
create sequence gateway.game_change;

create table gateway.game (
    id text primary key,
    slug text not null,
    mode text not null check (mode in ('test', 'live')),
    published boolean not null,
    -- The id of its page.
    page text not null,
    -- Generation of the rebuild that the row was last seen in.
    generation uuid not null,
    change bigint not null
);
create index game_by_slug on gateway.game (slug);
create index game_by_change on gateway.game (change);
create index game_by_page on gateway.game (page);

create table gateway.page (
    id text primary key,
    owners uuid[] not null,
    generation uuid not null,
    change bigint not null
);
create index page_by_change on gateway.page (change);

-- Whether keys of an account with a mode work for a game; a key without a game needs none. A sample game, which only test keys may have,
-- belongs to nobody. A page that is not known yet ends no key: this service is behind the feed.
create function gateway.game_state(slug text, mode text, account uuid) returns text
    language plpgsql stable
as $$
begin
    -- Most keys have no game: they need no plan and no lock of the two tables.
    if slug is null then
        return 'usable';
    end if;
    return (
        select case bool_or(game.mode = 'test' or page.id is null or account = any (page.owners))
            when true then 'usable' when false then 'not_owned' else 'gone'
        end
        from gateway.game left join gateway.page on page.id = game.page
        where game.slug = game_state.slug and game.published and (game.mode = 'live' or game_state.mode = 'test')
    );
end
$$;

-- Switches, which staff turn on and off (§7.3).

create table gateway.switch (
    name text primary key,
    is_on boolean not null,
    -- Null until the first change.
    changed_at timestamptz,
    -- The reason that staff gave; may be empty.
    reason text not null default '',
    revision bigint not null default 1
);
insert into gateway.switch (name, is_on)
values ('api', true), ('economy', true), ('api_writes', true), ('submissions', true), ('read_only', false);

-- Counts of calls. Rows have no reference to the account: whatever was counted must be writable.

-- Calls of live keys by account and UTC month. Redis counts; this is a copy, written in batches.
create table gateway.month_use (
    account_id uuid not null,
    -- The first day of the month.
    month date not null,
    used bigint not null check (used >= 0),
    primary key (account_id, month)
) with (fillfactor = 70);
-- Every minute the current month is searched for accounts that have used much of it; the table keeps all months. `used` is in no index, so
-- that its updates stay on their page.
create index month_use_by_month on gateway.month_use (month);
