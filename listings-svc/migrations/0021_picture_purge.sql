-- The SHA-256 of the upload that a file was made from, in hexadecimal: a purge of one size is a purge of all that were made from it.
alter table listings.picture add column source text;
-- When staff purged it. Its file is gone, and the same picture cannot be uploaded again.
alter table listings.picture add column purged_at timestamptz;
-- The two sizes of an upload were registered at the same time.
update listings.picture set source = upload.source
    from (select made_at, min(hash) as source from listings.picture group by made_at having count(*) = 2) as upload
    where picture.made_at = upload.made_at;
create index picture_source on listings.picture (source);
create index picture_purged on listings.picture (purged_at) where purged_at is not null;

-- The addresses of uploaded pictures that a game has.
create function listings.uploaded_pictures(cover_url text, screenshots jsonb) returns text[]
    language sql immutable
    return array(
        select address from (
            select cover_url as address
            union all
            select screenshot ->> 'url' from jsonb_array_elements(screenshots) as screenshot
        ) as named
        where listings.is_picture(address)
    );
-- Which listings have a picture: one that only listings have that were taken down is not served. The condition is cheap, because every
-- write of a game evaluates it.
create index game_picture on listings.game using gin (listings.uploaded_pictures(cover_url, screenshots))
    where cover_url like '/pictures/%' or screenshots::text like '%"/pictures/%';
create index page_picture on listings.page (avatar_url) where avatar_url like '/pictures/%';
