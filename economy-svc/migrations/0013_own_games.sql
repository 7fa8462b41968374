-- The games of an account, for the dashboard.
create index page_owners on economy.page using gin (owners);
create index game_of_page on economy.game (page_id);
