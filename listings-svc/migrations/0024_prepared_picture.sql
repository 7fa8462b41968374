-- Pictures that accounts have uploaded for a listing, for a day: the account looks at one and then gives it to the listing.
create table listings.prepared_picture (
    id uuid primary key,
    account_id uuid not null,
    kind text not null,
    -- The slug of the game or the handle of the page.
    name text not null,
    -- The SHA-256 of both files, and the size of the large one in pixels.
    large text not null,
    small text not null,
    width integer not null,
    height integer not null,
    made_at timestamptz not null,
    constraint prepared_picture_kind check (kind in ('cover', 'avatar', 'screenshot'))
);
create index prepared_picture_of_account on listings.prepared_picture (account_id, made_at);
create index prepared_picture_by_age on listings.prepared_picture (made_at);
