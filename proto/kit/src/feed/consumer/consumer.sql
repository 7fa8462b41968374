-- How far this service has come in each producer's feed.
create table kit.feed_cursor (
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
