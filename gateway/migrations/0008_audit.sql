-- What staff did here: every change of accounts, keys and switches, written with the change itself, and every call that a role did not let
-- through.
create table gateway.audit (
    -- In the order of time.
    id uuid primary key,
    at timestamptz not null,
    member text not null,
    role text not null,
    action text not null,
    -- What it was done to: `account`, `key`, `key_request` or `switch`, and its e-mail address, id or name.
    entity text not null,
    name text not null,
    -- Whether it was not done, for want of a role.
    refused boolean not null,
    details jsonb not null
);
create index audit_by_age on gateway.audit (at, id);
create index audit_by_member on gateway.audit (member, at, id);
create index audit_by_name on gateway.audit (entity, name, at, id);
