-- Actions of staff on people (kit::audit), and what the role of a member did not allow.
create table web.audit (
    id uuid primary key,
    at timestamptz not null,
    member text not null,
    role text not null,
    action text not null,
    entity text not null,
    name text not null,
    -- Whether the role of the member did not allow it.
    refused boolean not null,
    details jsonb not null
);
create index audit_by_age on web.audit (at, id);
create index audit_by_member on web.audit (member, at, id);
create index audit_by_name on web.audit (entity, name, at, id);
