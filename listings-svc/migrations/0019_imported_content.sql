-- What the last import stated of a listing, field by field. A field that differs from it was changed by an owner or by staff since, and
-- imports leave it as it is.
create table listings.imported_content (
    entity text not null,
    id uuid not null,
    content jsonb not null,
    primary key (entity, id),
    constraint imported_content_entity check (entity in ('page', 'game', 'event'))
);

-- For what was imported before: the listing with all changes since its last import undone. No import ever named an uploaded picture.
insert into listings.imported_content (entity, id, content)
select kind, id, (
        imported
        || case when imported ->> 'cover_url' like '/pictures/%' then '{"cover_url": null}' else '{}' end::jsonb
        || case when imported ->> 'avatar_url' like '/pictures/%' then '{"avatar_url": null}' else '{}' end::jsonb
        || case when imported ->> 'screenshots' like '%"/pictures/%' then '{"screenshots": []}' else '{}' end::jsonb
    ) - array['id', 'mode', 'state', 'revision', 'submitter', 'waiting_since', 'created_at', 'first_published_at', 'hidden_by_page', 'updated_at']
from (
    select 'page' as kind, id, to_jsonb(page) as fields from listings.page
    union all
    select 'game', id, to_jsonb(game) from listings.game
    union all
    select 'event', id, to_jsonb(event) from listings.event
) as listing
cross join lateral (
    select max(revision) as last_import from listings.revision
    where entity = kind and revision.id = listing.id and actor_kind = 'import'
) as last
cross join lateral (
    select fields || coalesce(jsonb_object_agg(key, value), '{}') as imported
    from (
        select distinct on (field.key) field.key, field.value
        from listings.revision, jsonb_each(revision.before) as field
        where entity = kind and revision.id = listing.id and revision > last_import
        order by field.key, revision
    ) as since
) as changes
where last_import is not null;

-- A report also lists rows with fields that an import left as they are and, for a dry run, the rows that it would create or change.
alter table listings.import_refusal
    add column outcome text not null default 'refused',
    drop constraint import_refusal_pkey,
    add primary key (import, line, outcome);
alter table listings.import
    add column kept bigint not null default 0;
