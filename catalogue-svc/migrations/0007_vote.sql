-- For which moment each daily job ran last.
create table catalogue.daily_run (
    name text primary key,
    done_for timestamptz not null
);

-- Who votes: an account, or a cookie. A voter without votes that are kept is forgotten, unless its votes are void.
create table catalogue.voter (
    id uuid primary key,
    -- The address, or IPv6 network, at which a cookie was first seen; null for an account.
    network text,
    first_seen_at timestamptz not null,
    -- Since when its votes do not count.
    voided_at timestamptz
);
create index voter_by_age on catalogue.voter (first_seen_at);
create index voter_of_network on catalogue.voter (network) where network is not null;

-- Each vote, for as long as it may be voided. The key is what makes a voter's second vote on a pair in a day no vote.
create table catalogue.vote (
    voter_id uuid not null,
    -- Of UTC.
    day date not null,
    -- The two listings, the one with the lower id first.
    low uuid not null,
    high uuid not null,
    low_won boolean not null,
    kind text not null check (kind in ('games', 'creators')),
    at timestamptz not null,
    primary key (voter_id, day, low, high),
    check (low < high)
);
create index vote_by_age on catalogue.vote using brin (at) with (autosummarize = on);

-- Votes with cookies on a day, by address or IPv6 network.
create table catalogue.network_day (
    network text not null,
    day date not null,
    votes integer not null,
    primary key (network, day)
);

-- The votes that count, by listing: of all time, and of each hour that a board may need. They are the sum of the feed up to `seq` of
-- `tally_head`; a vote itself touches none of these rows, so that votes on one listing do not wait for each other.
create table catalogue.tally (
    listing_id uuid primary key,
    kind text not null check (kind in ('games', 'creators')),
    wins bigint not null,
    losses bigint not null
);
create table catalogue.tally_hour (
    listing_id uuid not null,
    -- Since 1970, UTC.
    hour integer not null,
    wins integer not null,
    losses integer not null,
    primary key (listing_id, hour)
);
create table catalogue.tally_head (
    one boolean primary key default true check (one),
    seq bigint not null default 0
);
insert into catalogue.tally_head default values;

-- The boards as they stood at 04:00 UTC of a day: the listings in their order. They count once `snapshot` has the day.
create table catalogue.snapshot_board (
    taken_for timestamptz not null,
    kind text not null check (kind in ('games', 'creators')),
    board text not null check (board in ('week', 'month', 'all')),
    listings uuid[] not null,
    primary key (taken_for, kind, board)
);
create table catalogue.snapshot (
    taken_for timestamptz primary key,
    taken_at timestamptz not null
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
