-- Tables of the kit (proto/kit/src), word for word: a test compares them.

-- How far this service has come in each producer's feed.
create table webhook.feed_cursor (
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
create table webhook.feed_head (
    one boolean primary key default true check (one),
    epoch uuid not null default gen_random_uuid(),
    seq bigint not null default 0,
    -- The time of the newest change. Times are in the order of `seq`, whatever the clocks of the replicas say.
    at timestamptz not null default 'epoch',
    -- Which physical database the epoch belongs to; in another one, a new epoch begins.
    incarnation text not null default ''
);
insert into webhook.feed_head default values;

create table webhook.feed (
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
create index feed_by_entity on webhook.feed (entity, id, seq);

-- Work that runs in one replica at a time.
create table webhook.lease (
    name text primary key,
    holder uuid not null,
    expires_at timestamptz not null
);

-- For which moment each daily job ran last.
create table webhook.daily_run (
    name text primary key,
    done_for timestamptz not null
);

-- The read model: listings of listings-svc, accounts and plans of the gateway.

-- Whether a listing is public.
create table webhook.listing (
    kind text not null check (kind in ('page', 'game', 'event')),
    id uuid not null,
    generation uuid not null,
    published boolean not null,
    -- The time of the newest change in the feed of listings-svc.
    changed_at timestamptz not null,
    primary key (kind, id)
);

create table webhook.account (
    id uuid primary key,
    generation uuid not null,
    -- The name of a row of `plan`, which comes over the same feed before the account. Without that row nothing is known of the plan.
    plan text not null,
    -- How many addresses of the account were checked in the hour that began then: each check is a request to a host that the account names.
    address_checks integer not null default 0,
    address_checks_since timestamptz
);

-- The newest table of plans, with what they allow of webhooks (§8).
create table webhook.plan (
    name text primary key,
    -- As people read it.
    title text not null,
    generation uuid not null,
    -- The cheapest first.
    place integer not null,
    -- Null: no limit.
    endpoints bigint,
    -- Whether real events are sent, in addition to test events.
    events boolean not null,
    -- Announced and not sold yet.
    coming boolean not null
);

-- Endpoints.

create table webhook.endpoint (
    id uuid primary key,
    account_id uuid not null,
    url text not null,
    -- The status of the response to a HEAD request when the address was entered; null: there was none, for this reason.
    address_status integer,
    address_problem text not null default '',
    -- Names of the events that it receives.
    events text[] not null,
    state text not null default 'on' check (state in ('on', 'paused', 'off')),
    -- Why it was switched off; empty otherwise.
    reason text not null default '',
    -- The signing secret, encrypted (src/key_ring.rs).
    secret bytea not null,
    secret_id uuid not null default gen_random_uuid(),
    -- During a rotation: the secret that replaces it then.
    next_secret bytea,
    next_secret_id uuid,
    next_secret_from timestamptz,
    -- The people who have seen the secrets: who added the endpoint, or rotated its secret. Null: nobody is named.
    seen_by uuid,
    next_seen_by uuid,
    -- The forms of the dashboard that added the endpoint and that made its newest secret: sent again, they make no other.
    form_id uuid,
    rotation_form_id uuid,
    created_at timestamptz not null,
    -- Failed deliveries since the last success, with the first and the last of them.
    failures integer not null default 0,
    first_failure_at timestamptz,
    last_failure_at timestamptz,
    -- To the minute.
    last_success_at timestamptz,
    -- The owner gets one mail a day about failed deliveries: when the last one was queued, and the deliveries that have failed since then.
    failure_mailed_at timestamptz,
    failures_since_mail integer not null default 0,
    check ((next_secret is null) = (next_secret_from is null)),
    check ((next_secret is null) = (next_secret_id is null)),
    check ((failures = 0) = (first_failure_at is null))
);
create index endpoint_by_account on webhook.endpoint (account_id, created_at, id);
create unique index endpoint_by_form on webhook.endpoint (account_id, form_id) where form_id is not null;
create index endpoint_by_event on webhook.endpoint using gin (events) where state <> 'off';

-- Messages.

-- Each message is stored once, whatever the number of endpoints.
create table webhook.message (
    -- Derived from the change that it announces, so that no message is made twice.
    id uuid primary key,
    event text not null,
    -- The listing that it is about; null: it is a test.
    listing_kind text,
    listing_id uuid,
    -- Exactly as it is sent.
    body bytea not null,
    -- When it was stored; the body has the time of the change.
    created_at timestamptz not null,
    -- The order in which callers pull messages, which is that of commits: from 1, without gaps. Null: a test.
    position bigint,
    -- The accounts that may get it; null: every account.
    recipients uuid[]
);
create unique index message_by_position on webhook.message (position) where position is not null;
-- For their removal, and for callers who begin at a time. A BRIN index would find less and less: its ranges never become narrower when new rows take
-- the place of removed ones.
create index message_by_time on webhook.message (created_at, position);

-- Whether a message waits for the row of its listing, which is not published, or absent: the follower of listings may be behind the follower that
-- made the message. A message that was stored then waits for ten minutes, unless the row is newer than the message. A message of the listings
-- feed does not wait: one transaction stores it and the row.
create function webhook.waits_for_listing(
    event text, stored_at timestamptz, listing_changed_at timestamptz, now timestamptz
) returns boolean
language sql stable
as $$
    select event not like 'listing.%' and (listing_changed_at is null or listing_changed_at <= stored_at)
        and stored_at > now - interval '10 minutes'
$$;

-- The last position. Its one row is locked until the messages that get positions are committed: the order of positions is that of commits.
create table webhook.message_head (
    is_only boolean primary key default true check (is_only),
    position bigint not null
);
insert into webhook.message_head (position) values (0);

-- Deliveries: messages to endpoints. No foreign keys: each would cost a look-up and a row lock per delivery, and the deliveries of a removed
-- endpoint are removed by age. A success is one DELETE from a small table (`waiting`) and one INSERT into an append-only log (`attempt_log`).

-- Which endpoints have due deliveries, and which replica sends them. One row per endpoint, apart from `endpoint`, which is read far more
-- often than these columns change.
create table webhook.queue (
    endpoint_id uuid primary key,
    -- When the next delivery is due; while a replica has claimed the endpoint, the end of its lease; null: no delivery waits.
    due_at timestamptz,
    holder uuid,
    leased_until timestamptz,
    -- Fences a replica that has lost its claim: a claim by another replica raises it, and a result counts only under the token of its claim.
    token bigint not null default 0
);
create index queue_due on webhook.queue (due_at) where due_at is not null;

-- Deliveries that are not finished.
create table webhook.waiting (
    endpoint_id uuid not null,
    id bigint generated always as identity,
    message_id uuid not null,
    created_at timestamptz not null,
    -- Attempts that were made, and that are left.
    attempts integer not null default 0,
    attempts_left integer not null default 6,
    -- When the next attempt is due.
    due_at timestamptz not null,
    -- An endpoint may have few test deliveries at once.
    is_test boolean not null default false,
    primary key (endpoint_id, id)
) with (
    -- A queue is as long as its dead rows: vacuum after a number of them, not after a share of a table whose length changes all the time.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000, autovacuum_vacuum_insert_scale_factor = 0
);
create index waiting_due on webhook.waiting (endpoint_id, due_at, id);
-- For their removal. Not BRIN, as for messages: new rows take the place of finished ones all the time.
create index waiting_by_time on webhook.waiting (created_at);
create index waiting_tests on webhook.waiting (endpoint_id) where is_test;

-- Each attempt of each delivery; the last one has the delivery's final state.
create table webhook.attempt_log (
    endpoint_id uuid not null,
    delivery_id bigint not null,
    -- From 1.
    number integer not null,
    message_id uuid not null,
    -- When the delivery was created: all attempts of a delivery are removed together.
    created_at timestamptz not null,
    -- The delivery's state after this attempt.
    state text not null check (state in ('waiting', 'delivered', 'failed', 'cancelled')),
    at timestamptz not null,
    duration_ms integer not null,
    -- Null: no answer came.
    status integer,
    -- Why the attempt failed, in words; empty: it succeeded.
    reason text not null,
    -- The first 1 KiB of the answer's body.
    answer bytea not null,
    primary key (endpoint_id, delivery_id, number)
) with (
    -- A day is a thirtieth of the rows.
    autovacuum_vacuum_scale_factor = 0.02
);
-- For lists of one of the rare states.
create index attempt_log_undelivered on webhook.attempt_log (endpoint_id, state, delivery_id) where state in ('failed', 'cancelled');
-- Failed deliveries are sent again by the time when they failed.
create index attempt_log_failed_at on webhook.attempt_log (endpoint_id, at, delivery_id) where state = 'failed';
-- For their removal.
create index attempt_log_by_time on webhook.attempt_log (created_at);
