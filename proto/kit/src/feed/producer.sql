-- The outbox of a producer. `feed_head` is one row: raising its `seq` is the last thing a transaction does before its commit, so
-- that the order of `seq` is the order of commit.
create table kit.feed_head (
    one boolean primary key default true check (one),
    epoch uuid not null default gen_random_uuid(),
    seq bigint not null default 0,
    -- Which physical database the epoch belongs to; another one means that the data were restored.
    incarnation text not null default ''
);
insert into kit.feed_head default values;

create table kit.feed (
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
create index feed_by_entity on kit.feed (entity, id, seq);

-- Epochs before the present one, and where each began: both histories contain what was written up to the fork.
create table kit.feed_epoch (
    epoch uuid primary key,
    parent uuid not null,
    forked_at_seq bigint not null,
    began_at timestamptz not null default now()
);
