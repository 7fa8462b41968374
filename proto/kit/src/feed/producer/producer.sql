-- The outbox of a producer. `feed_head` is one row: raising its `seq` is the last thing a transaction does before its commit, so
-- that the order of `seq` is the order of commit.
create table kit.feed_head (
    one boolean primary key default true check (one),
    epoch uuid not null default gen_random_uuid(),
    seq bigint not null default 0,
    -- The time of the newest change. Times are in the order of `seq`, whatever the clocks of the replicas say.
    at timestamptz not null default 'epoch',
    -- Which physical database the epoch belongs to; in another one, a new epoch begins.
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
