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
