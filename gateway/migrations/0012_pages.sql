-- What the listings feed says about pages: a game's key works while its account owns the game's page.
create table gateway.page (
    id text primary key,
    owners uuid[] not null,
    -- Generation of the rebuild that the row was last seen in.
    epoch uuid not null,
    -- Rises whenever the owners change, from the same sequence as the changes of games.
    change bigint not null
);
create index page_by_change on gateway.page (change);

-- Null: written by a version that did not store it.
alter table gateway.game add column page text;
create index game_by_page on gateway.game (page);

-- Reads the listings feed again, for the pages.
update gateway.feed_cursor
set seq = 0, last_row = null, rebuilding_to = seq, acts_after = greatest(acts_after, seq), generation = gen_random_uuid()
where producer = 'listings' and seq > 0;
