-- How far this service has come in each producer's feed.
create table web.feed_cursor (
    producer text primary key,
    epoch uuid not null,
    seq bigint not null,
    -- Changes up to here were there before this service came: it takes them in, and acts on none.
    acts_after bigint not null,
    -- While what is held is rebuilt under a new epoch: the change at which it is whole again.
    rebuilding_to bigint
);

-- Work that runs once per fleet.
create table web.lease (
    name text primary key,
    holder uuid not null,
    expires_at timestamptz not null
);
