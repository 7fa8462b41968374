-- The staff by name. A token is shown once, when its member is made; only its SHA-256 is kept. A name is never given a second time, so
-- that a deed is one person's for good; `operator` is whoever holds the fleet's own staff token.
create table listings.staff_member (
    name text primary key,
    role text not null,
    token_sha256 bytea not null unique,
    created_at timestamptz not null,
    created_by text not null,
    revoked_at timestamptz,
    constraint staff_member_name check (
        name ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(name) <= 60 and name <> 'operator'
    ),
    constraint staff_member_role check (role in ('reviewer', 'admin'))
);

-- What the staff did, and what a role did not let them do. A deed's row is written in the transaction of the deed.
create table listings.audit (
    id uuid primary key,
    at timestamptz not null,
    member text not null,
    role text not null,
    action text not null,
    -- What it was done to: the kind and the name of a listing, or `member` and a name.
    entity text not null,
    name text not null,
    -- Whether it was not done, for want of a role.
    refused boolean not null,
    details jsonb not null
);
create index audit_by_age on listings.audit (at, id);
create index audit_by_member on listings.audit (member, at, id);
create index audit_by_name on listings.audit (entity, name, at, id);

-- Listings of every kind, for staff. What asks this for a few rows in the order of an index reads them from the indexes of the three
-- tables, merged.
create view listings.listing as
    select 'page' as kind, id, mode, state, revision, handle as name, name as title, submitter, waiting_since, updated_at,
        null::uuid as page_id
    from listings.page
    union all
    select 'game', id, mode, state, revision, slug, title, submitter, waiting_since, updated_at, page_id from listings.game
    union all
    select 'event', id, mode, state, revision, slug, title, submitter, waiting_since, updated_at, null from listings.event;
