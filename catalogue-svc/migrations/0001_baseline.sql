-- Tables of the kit (proto/kit/src), word for word: a test compares them.

-- The outbox of a producer. `feed_head` is one row: raising its `seq` is the last thing a transaction does before its commit, so
-- that the order of `seq` is the order of commit.
create table catalogue.feed_head (
    one boolean primary key default true check (one),
    epoch uuid not null default gen_random_uuid(),
    seq bigint not null default 0,
    -- The time of the newest change. Times are in the order of `seq`, whatever the clocks of the replicas say.
    at timestamptz not null default 'epoch',
    -- Which physical database the epoch belongs to; in another one, a new epoch begins.
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
    state bytea not null
);
create index feed_by_entity on catalogue.feed (entity, id, seq);

-- Work that runs in one replica at a time.
create table catalogue.lease (
    name text primary key,
    holder uuid not null,
    expires_at timestamptz not null
);

-- For which moment each daily job ran last.
create table catalogue.daily_run (
    name text primary key,
    done_for timestamptz not null
);

-- What staff did, and what they were not let do.
create table catalogue.audit (
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
create index audit_by_age on catalogue.audit (at, id);
create index audit_by_member on catalogue.audit (member, at, id);
create index audit_by_name on catalogue.audit (entity, name, at, id);

-- Votes.

-- Who votes: an account, or a cookie. A voter without stored votes is deleted, unless the votes are void.
create table catalogue.voter (
    id uuid primary key,
    first_seen_at timestamptz not null,
    -- Since when its votes do not count.
    voided_at timestamptz
);
create index voter_by_age on catalogue.voter (first_seen_at);

-- Networks whose votes do not count: IPv4 addresses, IPv6 networks (/64) and sites (/48).
create table catalogue.void_network (
    network text primary key,
    voided_at timestamptz not null
);

-- Each vote, for as long as staff may void it. The primary key lets a voter judge a pair once a day.
create table catalogue.vote (
    voter_id uuid not null,
    -- Of UTC.
    day date not null,
    -- The two listings, the one with the lower id first.
    low uuid not null,
    high uuid not null,
    -- Null: the voter picked neither.
    low_won boolean,
    -- Whether it counts in its network, as votes with cookies and new accounts do. A void of the
    -- network is of these votes.
    in_network boolean not null,
    kind text not null check (kind in ('games', 'creators')),
    at timestamptz not null,
    -- The IPv4 address, or IPv6 network (/64), from which it was cast.
    network text not null,
    -- The IPv6 site (/48); the IPv4 address itself.
    site text not null,
    primary key (voter_id, day, low, high),
    check (low < high)
);
-- For the removal of old votes. Not BRIN: new votes fill the pages of removed ones, so that soon every range of pages has old and new votes.
create index vote_by_age on catalogue.vote (at);
-- For voids of networks.
create index vote_by_site on catalogue.vote (site) where in_network;
-- For the voters of a listing.
create index vote_by_low on catalogue.vote (low, day);
create index vote_by_high on catalogue.vote (high, day);

-- Each stored vote with a winner, once for each of its two listings.
create view catalogue.listing_vote as
select voter_id, day, low, high, kind, at, floor(extract(epoch from at) / 3600)::integer as hour, network, site, in_network,
    listing_id, won::integer as wins, (not won)::integer as losses
from catalogue.vote cross join lateral (values (low, low_won), (high, not low_won)) as side (listing_id, won)
where low_won is not null;

-- Votes that count in their networks, on pairs that were drawn on a day, by IPv4 address or IPv6
-- network (/64 and /48).
create table catalogue.network_day (
    network text not null,
    day date not null,
    -- The bucket of the voter, see `domain/drawer.rs`.
    bucket smallint not null,
    votes integer not null,
    primary key (network, day, bucket)
);

-- Tallies: the votes that count, by listing, of all time and of each hour that a board may need. The transaction of a vote, and of a void,
-- adds its votes.
create table catalogue.tally (
    listing_id uuid primary key,
    kind text not null check (kind in ('games', 'creators')),
    wins bigint not null,
    losses bigint not null,
    -- How often it has changed. Replicas load the tallies again when the sum over all rows has grown.
    changes bigint not null default 1
);
create table catalogue.tally_hour (
    listing_id uuid not null,
    -- Since 1970, UTC.
    hour integer not null,
    wins integer not null,
    losses integer not null,
    primary key (listing_id, hour)
);
-- For the removal of old hours.
create index tally_hour_by_hour on catalogue.tally_hour (hour);

-- Boards.

-- The boards as they stood at 04:00 UTC of a day: the listings in their order. They count once `snapshot` has the day.
create table catalogue.snapshot_board (
    taken_for timestamptz not null,
    kind text not null check (kind in ('games', 'creators')),
    board text not null check (board in ('week', 'month', 'all')),
    listings uuid[] not null,
    primary key (taken_for, kind, board)
);
create table catalogue.snapshot (
    taken_for timestamptz primary key
);
