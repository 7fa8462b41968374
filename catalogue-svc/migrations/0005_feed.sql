-- The outbox of a producer. `feed_head` is one row: raising its `seq` is the last thing a transaction does before its commit, so
-- that the order of `seq` is the order of commit.
create table catalogue.feed_head (
    one boolean primary key default true check (one),
    epoch uuid not null default gen_random_uuid(),
    seq bigint not null default 0,
    -- Which physical database the epoch belongs to; another one means that the data were restored.
    incarnation text not null default ''
);
insert into catalogue.feed_head default values;

create table catalogue.feed (
    seq bigint primary key,
    entity text not null,
    id text not null,
    revision bigint not null,
    event text not null,
    announced boolean not null,
    happening boolean not null,
    at timestamptz not null,
    -- The write that made the change, for whoever lost the connection at commit.
    request uuid not null,
    state bytea not null
);
create index feed_by_entity on catalogue.feed (entity, id, seq);

create table catalogue.feed_follower (
    name text primary key,
    epoch uuid not null,
    seq bigint not null,
    seen_at timestamptz not null
);
