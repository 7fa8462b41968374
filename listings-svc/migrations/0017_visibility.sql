-- Whether the page of a game is not public, which hides the game. Stored with the game, in the transaction that changes the page: whether
-- the public sees a game follows from its row alone.
alter table listings.game add column hidden_by_page boolean not null default false;

-- The job that lets games follow their pages looks for games that do not.
create index game_hidden on listings.game (page_id) where hidden_by_page;
create index page_not_public on listings.page (id) where state <> 'published';

update listings.game set hidden_by_page = true
    from listings.page where page.id = game.page_id and page.state <> 'published';

-- From here on it dates when the public saw a listing first. A game whose pages have never been public was never seen.
update listings.game set first_published_at = null
    where hidden_by_page and not exists (
        select from listings.page
        where page.first_published_at is not null and (
            page.id = game.page_id or page.id in (
                select (revision.before ->> 'page_id')::uuid from listings.revision
                where revision.entity = 'game' and revision.id = game.id and revision.before ? 'page_id'
            )
        )
    );
