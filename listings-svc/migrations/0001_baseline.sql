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

-- Checks.

-- Whether no item of a list comes twice. It is in PL/pgSQL because PostgreSQL would plan a query in a function of SQL for every checked row.
create function listings.all_distinct(items text[]) returns boolean
    language plpgsql immutable strict as $$
begin
    if array_position(items, null) is not null then
        return false;
    end if;
    for place in 2 .. cardinality(items) loop
        if items[place] = any(items[:place - 1]) then
            return false;
        end if;
    end loop;
    return true;
end
$$;

-- Whether a text is an https address with a host, as far as SQL can tell.
create function listings.is_https(address text) returns boolean
    language sql immutable strict
    return address ~* '^https://[^/?#[:space:]]+' and address !~ '[[:space:]]' and char_length(address) <= 2048;

-- Whether an address is that of an uploaded picture, relative to the public pages: `/pictures/<hash>.jpg`. A listing keeps its pictures when
-- the public pages move.
create function listings.is_picture(address text) returns boolean
    language sql immutable strict
    return address ~ '^/pictures/[0-9a-f]{64}[.][a-z]+$';

-- Listings. `mode` separates the two datasets of the contract: 'live' holds real listings, 'test' samples. A slug or handle is unique in its
-- dataset and, because nothing is deleted, never used a second time. The `revision` of a row counts its changes.
--
-- `submitter` is the account of the gateway that sent the listing in, and `waiting_since` the time since when it waits for its review; both are
-- null for what was imported. `first_published_at` is the time when the public saw the listing first: lists show the newest first by it, and
-- taking a listing down and restoring it does not change it.

-- A studio's or a person's page: a creator, to the public.
create table listings.page (
    id uuid primary key,
    mode text not null,
    state text not null,
    revision bigint not null,
    handle text not null,
    name text not null,
    kind text not null,
    roles text[] not null,
    tagline text not null,
    bio text not null,
    avatar_url text,
    country_code text not null,
    -- As the gazetteer writes it, or as its owner does; empty when unknown, and then the slug is empty too.
    city text not null,
    city_slug text not null,
    verified boolean not null,
    links jsonb not null,
    source text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    submitter uuid,
    waiting_since timestamptz,
    first_published_at timestamptz,
    constraint page_mode check (mode in ('live', 'test')),
    constraint page_state check (state in ('pending', 'published', 'rejected', 'removed')),
    constraint page_handle_taken unique (mode, handle),
    -- A game cannot refer to a page of the other dataset.
    constraint page_world unique (id, mode),
    constraint page_handle_shape check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(handle) <= 100),
    constraint page_name_length check (char_length(name) between 1 and 120),
    constraint page_kind check (kind in ('studio', 'person')),
    constraint page_roles_distinct check (listings.all_distinct(roles)),
    constraint page_tagline_length check (char_length(tagline) <= 160),
    constraint page_bio_length check (char_length(bio) <= 10000),
    constraint page_avatar_https check (listings.is_https(avatar_url) or listings.is_picture(avatar_url)),
    constraint page_city_length check (char_length(city) <= 120),
    constraint page_city_slug check ((city = '') = (city_slug = '')),
    constraint page_links_object check (jsonb_typeof(links) = 'object'),
    constraint page_times check (updated_at >= created_at),
    constraint page_waiting check ((state = 'pending') = (waiting_since is not null))
);
-- The queue of the review, oldest first.
create index page_queue on listings.page (waiting_since, id) where state = 'pending';
create index page_by_submitter on listings.page (submitter) where submitter is not null;
-- For the job that lets games follow their pages.
create index page_not_public on listings.page (id) where state <> 'published';

create table listings.game (
    id uuid primary key,
    mode text not null,
    state text not null,
    revision bigint not null,
    slug text not null,
    title text not null,
    tagline text not null,
    description text not null,
    cover_url text,
    screenshots jsonb not null,
    genres text[] not null,
    platforms text[] not null,
    stage text not null,
    release_year integer not null,
    trailer_url text,
    links jsonb not null,
    credits jsonb not null,
    featured boolean not null,
    -- The page that it belongs to; its country and city are those of the page.
    page_id uuid not null,
    source text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    submitter uuid,
    waiting_since timestamptz,
    first_published_at timestamptz,
    -- Whether the page of the game is not public, which hides the game. The transaction that changes the page stores it with the game: the row
    -- of a game alone tells whether the public sees it.
    hidden_by_page boolean not null default false,
    constraint game_mode check (mode in ('live', 'test')),
    constraint game_state check (state in ('pending', 'published', 'rejected', 'removed')),
    constraint game_slug_taken unique (mode, slug),
    constraint game_slug_shape check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
    constraint game_title_length check (char_length(title) between 1 and 120),
    constraint game_tagline_length check (char_length(tagline) <= 160),
    constraint game_description_length check (char_length(description) <= 10000),
    constraint game_cover_https check (listings.is_https(cover_url) or listings.is_picture(cover_url)),
    constraint game_screenshots_list check (jsonb_typeof(screenshots) = 'array'),
    constraint game_genres_count check (cardinality(genres) <= 3 and listings.all_distinct(genres)),
    constraint game_platforms_known check (
        platforms <@ array['web', 'android', 'ios', 'windows', 'mac', 'linux', 'switch', 'playstation', 'xbox', 'vr']
        and listings.all_distinct(platforms)
    ),
    constraint game_stage check (stage in ('in_development', 'early_access', 'released')),
    constraint game_release_year_range check (release_year between 1950 and 9999),
    constraint game_trailer_https check (listings.is_https(trailer_url)),
    constraint game_links_object check (jsonb_typeof(links) = 'object'),
    constraint game_credits_list check (jsonb_typeof(credits) = 'array'),
    constraint game_page foreign key (page_id, mode) references listings.page (id, mode),
    constraint game_times check (updated_at >= created_at),
    constraint game_waiting check ((state = 'pending') = (waiting_since is not null))
);
create index game_queue on listings.game (waiting_since, id) where state = 'pending';
create index game_by_submitter on listings.game (submitter) where submitter is not null;
-- What an account has listed, in the order in which it is read.
create index game_own on listings.game (page_id, created_at, id);
-- For the job that lets games follow their pages.
create index game_hidden on listings.game (page_id) where hidden_by_page;

create table listings.event (
    id uuid primary key,
    mode text not null,
    state text not null,
    revision bigint not null,
    slug text not null,
    title text not null,
    kind text not null,
    starts_at date not null,
    ends_at date,
    country_code text not null,
    city text not null,
    city_slug text not null,
    online boolean not null,
    -- The event's own site.
    website text,
    description text not null,
    source text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    submitter uuid,
    waiting_since timestamptz,
    first_published_at timestamptz,
    constraint event_mode check (mode in ('live', 'test')),
    constraint event_state check (state in ('pending', 'published', 'rejected', 'removed')),
    constraint event_slug_taken unique (mode, slug),
    constraint event_slug_shape check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
    constraint event_title_length check (char_length(title) between 1 and 120),
    constraint event_kind check (kind in ('jam', 'meetup', 'tournament', 'showcase', 'conference')),
    constraint event_days check (ends_at >= starts_at),
    constraint event_city_length check (char_length(city) between 1 and 120 and city_slug <> ''),
    constraint event_website_https check (listings.is_https(website)),
    constraint event_description_length check (char_length(description) <= 10000),
    constraint event_times check (updated_at >= created_at),
    constraint event_waiting check ((state = 'pending') = (waiting_since is not null))
);
create index event_queue on listings.event (waiting_since, id) where state = 'pending';
create index event_own on listings.event (submitter, created_at, id) where submitter is not null;

-- Listings of every kind, for staff. A query for a few rows in the order of an index reads them from the indexes of the three tables, merged.
create view listings.listing as
    select 'page' as kind, id, mode, state, revision, handle as name, name as title, submitter, waiting_since, updated_at,
        null::uuid as page_id
    from listings.page
    union all
    select 'game', id, mode, state, revision, slug, title, submitter, waiting_since, updated_at, page_id from listings.game
    union all
    select 'event', id, mode, state, revision, slug, title, submitter, waiting_since, updated_at, null from listings.event;

-- Every change of a page, a game or an event: who, when, what it was and what it became.
create table listings.revision (
    entity text not null,
    id uuid not null,
    revision bigint not null,
    at timestamptz not null,
    -- The newest revision tells who changed a listing last: an import, say, or later its owner.
    actor_kind text not null,
    actor text not null,
    -- The fields that the revision changed, and `state`; null for the first.
    before jsonb,
    -- The same fields; all fields for the first.
    after jsonb not null,
    -- Why staff made the change; null where nobody gives a reason.
    reason text,
    primary key (entity, id, revision),
    constraint revision_entity check (entity in ('page', 'game', 'event'))
);
-- When a listing became public: the queue shows for each row whether it ever was.
create index revision_published on listings.revision (entity, id)
    where after ->> 'state' = 'published' and before ->> 'state' is distinct from 'published';
-- When it was rejected: its owner reads the reason of the last time.
create index revision_rejected on listings.revision (entity, id, revision)
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
    page_id uuid not null references listings.page (id),
    account_id uuid not null,
    -- Whether the account sent the page in, a claim was granted, or staff gave it.
    by_way_of text not null,
    since timestamptz not null,
    primary key (page_id, account_id),
    constraint page_owner_way check (by_way_of in ('submission', 'claim', 'staff'))
);
create index page_owner_by_account on listings.page_owner (account_id);

-- The accounts that own a listing.
create function listings.owners(entity text, listing uuid) returns uuid[]
    language sql stable
    return case entity
        when 'event' then array(select submitter from listings.event where event.id = listing and submitter is not null)
        when 'game' then array(
            select account_id from listings.game join listings.page_owner using (page_id)
            where game.id = listing order by account_id
        )
        else array(select account_id from listings.page_owner where page_id = listing order by account_id)
    end;

-- Imports.

-- One row for each kind of listing in each dataset. A transaction that imports rows holds its row: of two imports of the same kind one
-- writes at a time, and their rows are never locked in two orders.
create table listings.import_gate (
    entity text not null,
    mode text not null,
    primary key (entity, mode)
);
insert into listings.import_gate (entity, mode)
select entity, mode
from unnest(array['page', 'game', 'event']) as entity, unnest(array['live', 'test']) as mode;

-- What was done at a start, and with which input: not done again while the input stays the same.
create table listings.start_work (
    name text primary key,
    input text not null,
    at timestamptz not null,
    -- The version of the task's input: a replica of an older version neither undoes nor repeats what a newer one has done.
    version integer not null
);

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

-- The hashes of the uploaded pictures that a listing names, by their addresses here, `/pictures/<hash>.jpg`, or by whole public ones.
create function listings.picture_hashes(address text, screenshots jsonb) returns text[]
    language sql immutable
    return array(
        select substring(url from '^[^?#]*/pictures/([0-9a-f]{64})(?:-small)?[.]jpg(?:[?#].*)?$') from (
            select address as url
            union all
            select screenshot ->> 'url' from jsonb_array_elements(screenshots) as screenshot
        ) as named
        where url ~ '^[^?#]*/pictures/[0-9a-f]{64}(-small)?[.]jpg([?#].*)?$'
    );
-- Which listings name a picture. The conditions are cheap, because every write of a listing evaluates them.
create index game_picture on listings.game using gin (listings.picture_hashes(cover_url, screenshots))
    where cover_url like '%/pictures/%' or screenshots::text like '%/pictures/%';
create index page_picture on listings.page using gin (listings.picture_hashes(avatar_url, '[]'))
    where avatar_url like '%/pictures/%';

-- The listings that name uploaded pictures. A query for one picture reads them from the two indexes.
create view listings.pictured as
    select 'game' as kind, mode, slug as name, page_id, state = 'published' and not hidden_by_page as visible,
        listings.picture_hashes(cover_url, screenshots) as hashes
    from listings.game where cover_url like '%/pictures/%' or screenshots::text like '%/pictures/%'
    union all
    select 'page', mode, handle, id, state = 'published', listings.picture_hashes(avatar_url, '[]')
    from listings.page where avatar_url like '%/pictures/%';

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
    page_id uuid not null references listings.page,
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
