-- What is sent: once, whatever the number of endpoints.
create table webhook.message (
    -- Derived from what happened, so that nothing is sent twice.
    id uuid primary key,
    event text not null,
    -- The listing that it is about, unless it is a test.
    listing_kind text,
    listing_id uuid,
    -- Exactly as it is sent.
    body bytea not null,
    -- When it was stored; the body says when it happened.
    created_at timestamptz not null
);
create index message_by_time on webhook.message using brin (created_at) with (autosummarize = on);

-- A message on its way to an endpoint. No foreign keys: each would cost a look-up and a row lock per delivery, and what a removed endpoint
-- leaves behind goes with age.
create table webhook.delivery (
    endpoint_id uuid not null,
    id bigint generated always as identity,
    message_id uuid not null,
    created_at timestamptz not null,
    state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed', 'cancelled')),
    tries integer not null default 0,
    -- Tries that it still has.
    tries_left integer not null default 6,
    -- When it is tried next.
    due_at timestamptz,
    primary key (endpoint_id, id),
    check ((state = 'waiting') = (due_at is not null))
);
create index delivery_due on webhook.delivery (endpoint_id, due_at, id) where due_at is not null;
create index delivery_failed on webhook.delivery (endpoint_id, id) where state = 'failed';
create index delivery_by_time on webhook.delivery using brin (created_at) with (autosummarize = on);

create table webhook.attempt (
    endpoint_id uuid not null,
    delivery_id bigint not null,
    number integer not null,
    at timestamptz not null,
    duration_ms integer not null,
    -- Null: no answer came.
    status integer,
    -- Why it failed, in words; empty when it did not.
    reason text not null,
    -- The first 1 KiB of the answer's body.
    answer bytea not null,
    primary key (endpoint_id, delivery_id, number)
);

-- Mails that are to be sent.
create table webhook.mail (
    id uuid primary key,
    recipient text not null,
    subject text not null,
    body text not null,
    created_at timestamptz not null
);

create table webhook.daily_run (
    name text primary key,
    done_for timestamptz not null
);

-- What staff did (kit::audit).
create table webhook.audit (
    id uuid primary key,
    at timestamptz not null,
    member text not null,
    role text not null,
    action text not null,
    entity text not null,
    name text not null,
    -- Whether it was not done, for want of a role.
    refused boolean not null,
    details jsonb not null
);
create index audit_by_age on webhook.audit (at, id);
create index audit_by_member on webhook.audit (member, at, id);
create index audit_by_name on webhook.audit (entity, name, at, id);
