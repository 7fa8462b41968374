-- Listings that accounts send in and change: whose they are, how long they have waited for their review, and what an account has
-- done today.

-- Who sent it in (an account of the gateway's), and since when it waits for its review; null for what was imported, and for what does
-- not wait.
alter table listings.page add column submitter uuid, add column waiting_since timestamptz;
alter table listings.game add column submitter uuid, add column waiting_since timestamptz;
alter table listings.event add column submitter uuid, add column waiting_since timestamptz;
alter table listings.page add constraint page_waiting check ((state = 'pending') = (waiting_since is not null));
alter table listings.game add constraint game_waiting check ((state = 'pending') = (waiting_since is not null));
alter table listings.event add constraint event_waiting check ((state = 'pending') = (waiting_since is not null));

-- The queue of the review, oldest first; and what one account has in it.
create index page_queue on listings.page (waiting_since, id) where state = 'pending';
create index game_queue on listings.game (waiting_since, id) where state = 'pending';
create index event_queue on listings.event (waiting_since, id) where state = 'pending';
create index page_by_submitter on listings.page (submitter) where submitter is not null;
create index game_by_submitter on listings.game (submitter) where submitter is not null;
create index event_by_submitter on listings.event (submitter) where submitter is not null;

-- Whose a page is. Its games are theirs with it; an event is its submitter's.
create table listings.page_owner (
    page_id uuid not null references listings.page (id),
    account_id uuid not null,
    -- Sent in by this account, granted to it by a claim, or given to it by staff.
    by_way_of text not null,
    since timestamptz not null,
    primary key (page_id, account_id),
    constraint page_owner_way check (by_way_of in ('submission', 'claim', 'staff'))
);
create index page_owner_by_account on listings.page_owner (account_id);

-- One row for each account that ever wrote. Whoever writes for an account holds its row, so that its limits are exact.
create table listings.account (
    id uuid primary key,
    -- Accepted writes of one UTC day.
    day date not null,
    writes integer not null,
    constraint account_writes check (writes >= 0)
);

-- Answers that had an effect, for the same call when it comes again.
create table listings.idempotency (
    account_id uuid not null,
    route text not null,
    key text not null,
    -- Of the body: another one under the same key is a mistake of the caller's.
    body_sha256 bytea not null,
    answer jsonb not null,
    at timestamptz not null,
    primary key (account_id, route, key)
);
create index idempotency_by_age on listings.idempotency (at);

-- Counts the changes of a kind of rows: whoever keeps genres, countries or cities in memory learns from it that they are not as they
-- were.
alter table listings.import_gate add column version bigint not null default 0;
