-- Whether a public listing has, or had, a picture: the public gets no other. A trigger sets it, since changes of many kinds make a listing
-- public, and replicas of the version before write listings too.
alter table listings.picture add column published boolean not null default false;

create function listings.publish_pictures() returns trigger
    language plpgsql
    as $$
begin
    update listings.picture set published = true
        where not published and hash = any(array(
            select substr(address, length('/pictures/') + 1, 64)
            from unnest(case tg_table_name
                when 'game' then listings.uploaded_pictures(to_jsonb(new) ->> 'cover_url', to_jsonb(new) -> 'screenshots')
                else array[to_jsonb(new) ->> 'avatar_url']
            end) as address
        ));
    return null;
end
$$;

-- The conditions are cheap, because every write of a listing evaluates them.
create trigger game_publishes_pictures after insert or update on listings.game for each row
    when (new.state = 'published' and not new.hidden_by_page
        and (new.cover_url like '/pictures/%' or new.screenshots::text like '%"/pictures/%'))
    execute function listings.publish_pictures();
create trigger page_publishes_pictures after insert or update on listings.page for each row
    when (new.state = 'published' and new.avatar_url like '/pictures/%')
    execute function listings.publish_pictures();

-- A picture that no listing names any more may have been one of a submission only, so it is not served any more.
update listings.picture set published = true
    where hash in (
        select substr(address, length('/pictures/') + 1, 64)
        from listings.game, unnest(listings.uploaded_pictures(cover_url, screenshots)) as address
        where first_published_at is not null
            and (cover_url like '/pictures/%' or screenshots::text like '%"/pictures/%')
        union
        select substr(avatar_url, length('/pictures/') + 1, 64) from listings.page
        where first_published_at is not null and avatar_url like '/pictures/%'
    );
