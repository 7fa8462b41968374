-- Tables of the kit (proto/kit/src), word for word: a test compares them.

-- The outbox of a producer. `feed_head` is one row: raising its `seq` is the last thing a transaction does before its commit, so
-- that the order of `seq` is the order of commit.
create table listings.feed_head (
    one boolean primary key default true check (one),
    epoch uuid not null default gen_random_uuid(),
    seq bigint not null default 0,
    -- The time of the newest change. Times are in the order of `seq`, whatever the clocks of the replicas say.
    at timestamptz not null default 'epoch',
    -- Which physical database the epoch belongs to; in another one, a new epoch begins.
    incarnation text not null default ''
);
insert into listings.feed_head default values;

create table listings.feed (
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
create index feed_by_entity on listings.feed (entity, id, seq);

-- Work that runs in one replica at a time.
create table listings.lease (
    name text primary key,
    holder uuid not null,
    expires_at timestamptz not null
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

-- What the staff did, and what a role did not let them do. An action and its row are written in one transaction.
create table listings.audit (
    id uuid primary key,
    at timestamptz not null,
    member text not null,
    role text not null,
    action text not null,
    -- What it was done to: the kind and the name of a listing, or `member` and a name.
    entity text not null,
    name text not null,
    -- Whether the role did not allow it.
    refused boolean not null,
    details jsonb not null
);
create index audit_by_age on listings.audit (at, id);
create index audit_by_member on listings.audit (member, at, id);
create index audit_by_name on listings.audit (entity, name, at, id);

-- Listings: pages of studios and persons (creators, to the public), games and events.

create table listings.listing (
    id uuid primary key,
    entity text not null,
    -- Separates the two datasets of the contract: 'live' holds real listings, 'test' samples.
    mode text not null,
    state text not null,
    -- Who gave it the state: an account, or null when staff or an import did. Staff give a reason for a rejection and a takedown.
    state_by uuid,
    state_at timestamptz not null,
    state_reason text,
    -- Counts the changes.
    revision bigint not null,
    -- The account of the gateway that sent the listing in, and since when it waits for its review; null for what was imported.
    submitter uuid,
    waiting_since timestamptz,
    created_at timestamptz not null,
    -- When the public saw the listing first: lists show the newest first. Taking it down and restoring it does not change it.
    first_published_at timestamptz,
    -- Whether the page of a game is not public, which hides the game: its row alone tells whether the public sees it.
    hidden_by_page boolean not null,
    updated_at timestamptz not null,
    -- The fields of the kind, which the service validates.
    content jsonb not null,
    -- The slug or the handle. Nothing is deleted, so none is used twice.
    name text not null generated always as (coalesce(content ->> 'handle', content ->> 'slug')) stored,
    title text not null generated always as (coalesce(content ->> 'title', content ->> 'name')) stored,
    -- The page that a game belongs to; its country and city are those of the page.
    page_id uuid generated always as ((content ->> 'page_id')::uuid) stored,
    constraint listing_entity check (entity in ('page', 'game', 'event')),
    constraint listing_mode check (mode in ('live', 'test')),
    constraint listing_state check (state in ('pending', 'published', 'rejected', 'removed')),
    constraint listing_name_taken unique (entity, mode, name),
    constraint listing_name_shape check (name ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(name) <= 100),
    constraint listing_title_length check (char_length(title) between 1 and 120),
    constraint listing_waiting check ((state = 'pending') = (waiting_since is not null)),
    constraint listing_of_page check ((entity = 'game') = (page_id is not null)),
    -- A game cannot refer to a page of the other dataset.
    constraint listing_id_mode unique (id, mode),
    constraint listing_page foreign key (page_id, mode) references listings.listing (id, mode)
);
-- The queue of the review, oldest first.
create index listing_queue on listings.listing (waiting_since, id) where state = 'pending';
-- What an account has listed, in the order in which it is read.
create index listing_by_submitter on listings.listing (submitter, created_at, id) where submitter is not null;
create index listing_by_page on listings.listing (page_id, created_at, id) where page_id is not null;

-- Every change of a page, a game or an event: who, when, what it was and what it became.
create table listings.revision (
    -- Of the listing.
    id uuid not null,
    revision bigint not null,
    at timestamptz not null,
    -- The newest revision tells who changed a listing last: an import, say, or later its owner.
    actor_kind text not null,
    actor text not null,
    -- The fields of the content that the revision changed, `submitter` if it changed, and `state`; null for the first.
    before jsonb,
    -- The same fields; all fields for the first.
    after jsonb not null,
    -- Why staff made the change; null where nobody gives a reason.
    reason text,
    primary key (id, revision)
);
-- When staff rejected a listing the last time: a reviewer reads what has changed since.
create index revision_rejected on listings.revision (id, revision)
    where after ->> 'state' = 'rejected' and before ->> 'state' is distinct from 'rejected';

-- Accounts and what they own.

-- One row for each account that ever wrote. A write for an account locks the row, which makes the limits of the account exact.
create table listings.account (
    id uuid primary key,
    -- Accepted writes of one UTC day.
    day date not null,
    writes integer not null,
    constraint account_writes check (writes >= 0)
);

-- The accounts that own a page, and with it its games. An event belongs to its submitter.
create table listings.page_owner (
    page_id uuid not null references listings.listing,
    account_id uuid not null,
    -- How the account became an owner.
    source text not null,
    since timestamptz not null,
    primary key (page_id, account_id),
    constraint page_owner_source check (source in ('submission', 'claim', 'staff'))
);
create index page_owner_by_account on listings.page_owner (account_id);

-- Imports.

-- One row for each kind of listing in each dataset. A transaction that imports rows holds its row: of two imports of the same kind one
-- writes at a time, and their rows are never locked in two orders.
create table listings.name_lock (
    entity text not null,
    mode text not null,
    primary key (entity, mode)
);
insert into listings.name_lock (entity, mode)
select entity, mode
from unnest(array['page', 'game', 'event']) as entity, unnest(array['live', 'test']) as mode;

-- The number of the bundled samples that were loaded last. A release loads its own if their number is higher.
create table listings.sample_release (
    one boolean primary key default true check (one),
    number integer not null default 0
);
insert into listings.sample_release default values;

-- Pictures.

-- Pictures that were uploaded. The file store has two files of each, named by its hash: the picture, and its small size.
create table listings.picture (
    -- The SHA-256 of both files, in hexadecimal.
    hash text primary key,
    -- When it was last uploaded. The sweep deletes a picture that no listing names a day after that.
    uploaded_at timestamptz not null,
    -- When staff purged it. Its files are gone, and it cannot be uploaded again.
    purged_at timestamptz,
    constraint picture_hash check (hash ~ '^[0-9a-f]{64}$')
);
create index picture_by_age on listings.picture (uploaded_at) where purged_at is null;
create index picture_purged on listings.picture (purged_at) where purged_at is not null;

-- The uploaded pictures that listings name, in any state. Each write of a listing that changes its pictures writes them here.
create table listings.listing_picture (
    hash text not null references listings.picture,
    listing_id uuid not null references listings.listing,
    primary key (hash, listing_id)
);
create index listing_picture_by_listing on listings.listing_picture (listing_id);

-- The uploads that an account began within a day. A refused file counts: to decode it costs as much as that of an accepted one.
create table listings.picture_upload (
    account_id uuid not null,
    began_at timestamptz not null
);
create index picture_upload_of_account on listings.picture_upload (account_id, began_at);
create index picture_upload_by_age on listings.picture_upload (began_at);

-- Claims: an account says that a page is its own, and staff decide.

create table listings.claim (
    id uuid primary key,
    page_id uuid not null references listings.listing,
    account_id uuid not null,
    evidence text not null,
    state text not null default 'waiting',
    made_at timestamptz not null,
    decided_at timestamptz,
    -- Of a rejection; empty otherwise.
    reason text not null default '',
    constraint claim_evidence check (char_length(evidence) between 1 and 2000),
    constraint claim_state check (state in ('waiting', 'granted', 'rejected')),
    constraint claim_decided check ((state = 'waiting') = (decided_at is null))
);
-- An account has one waiting claim of a page; to claim again replaces its evidence.
create unique index claim_waiting on listings.claim (page_id, account_id) where state = 'waiting';
create index claim_queue on listings.claim (made_at, id) where state = 'waiting';
create index claim_of_account on listings.claim (account_id, id);

-- Updates the planner statistics of a table, which only the owner of the schema may do. Does not wait for another `analyze` of the table.
create function listings.analyze_table(name text) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    execute format('analyze (skip_locked) listings.%I', name);
end
$$;

revoke execute on function listings.analyze_table(text) from public;
