create table webhook.endpoint (
    id uuid primary key,
    account_id uuid not null,
    url text not null,
    -- Names of the events that it receives.
    events text[] not null,
    state text not null default 'on' check (state in ('on', 'paused', 'off')),
    -- Why it was switched off; empty otherwise.
    reason text not null default '',
    -- Deliveries a second at most; null: no limit.
    rate_limit integer check (rate_limit > 0),
    -- The signing secret, encrypted (src/key_ring.rs).
    secret bytea not null,
    -- While it is rotated: the secret that replaces it then.
    next_secret bytea,
    next_secret_from timestamptz,
    created_at timestamptz not null,
    -- Failed deliveries since the last success, with the first and the last of them.
    failures integer not null default 0,
    first_failure_at timestamptz,
    last_failure_at timestamptz,
    -- To the minute.
    last_success_at timestamptz,
    check ((next_secret is null) = (next_secret_from is null)),
    check ((failures = 0) = (first_failure_at is null))
);
create index endpoint_by_account on webhook.endpoint (account_id, created_at, id);
create index endpoint_by_event on webhook.endpoint using gin (events) where state <> 'off';

-- Which endpoints have something to be done, and which replica does it. A row an endpoint, apart from `endpoint`, which is read far more
-- often than these columns change.
create table webhook.queue (
    endpoint_id uuid primary key,
    -- When there is something to be done; while a replica works on it, when its lease runs out; null: nothing waits.
    due_at timestamptz,
    holder uuid,
    leased_until timestamptz
);
create index queue_due on webhook.queue (due_at) where due_at is not null;
