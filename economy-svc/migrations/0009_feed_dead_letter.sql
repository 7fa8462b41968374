-- Changes that could not be decoded, or whose data were refused. They are retried, see the kit's README.
create table economy.feed_dead_letter (
    number bigint generated always as identity primary key,
    producer text not null,
    -- The rebuild that the row would belong to.
    generation uuid not null,
    seq bigint not null,
    entity text not null,
    id text not null,
    revision bigint not null,
    event text not null,
    announced boolean not null,
    happening boolean not null,
    changed_at timestamptz,
    state bytea not null,
    -- Whether the row is still to be written: false once a newer state of the entity is stored.
    row_due boolean not null,
    -- Whether the message is still to be sent.
    message_due boolean not null,
    reason text not null,
    put_aside_at timestamptz not null default now()
);
create index feed_dead_letter_by_entity on economy.feed_dead_letter (producer, entity, id);

-- The time of the newest change whose effects are done. After a restore the producer finds by it which changes are new.
alter table economy.feed_cursor add column acts_until timestamptz;
