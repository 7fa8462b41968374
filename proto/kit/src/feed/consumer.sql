-- How far this service has come in each producer's feed.
create table kit.feed_cursor (
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

-- Changes that could not be applied. A retry reads the newest state of the entity from the producer.
create table kit.feed_dead_letter (
    number bigint generated always as identity primary key,
    producer text not null,
    seq bigint not null,
    entity text not null,
    id text not null,
    event text not null,
    -- A one-off event, which no newer state replaces.
    happening boolean not null,
    -- Whether the change has a message that is still to be sent.
    message_due boolean not null,
    reason text not null,
    put_aside_at timestamptz not null default now(),
    unique (producer, seq)
);
create index feed_dead_letter_by_entity on kit.feed_dead_letter (producer, entity, id);
