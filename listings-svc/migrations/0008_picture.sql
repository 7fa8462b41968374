-- Pictures that were uploaded. Their files lie in the object store, each under the SHA-256 of its bytes; this is what is known of them.

create table listings.picture (
    -- In hexadecimal.
    hash text primary key,
    width integer not null,
    height integer not null,
    size bigint not null,
    -- When it was last sent.
    made_at timestamptz not null,
    -- Whether a listing has, or had, it. Revisions are kept for good, and so is every picture that one of them names; the others are
    -- swept away.
    used boolean not null default false,
    constraint picture_hash check (hash ~ '^[0-9a-f]{64}$')
);
create index picture_unused on listings.picture (made_at) where not used;

-- Whether an address is that of an uploaded picture, from where the public pages begin: `/pictures/<hash>.jpg`. So a listing keeps its
-- pictures when the public pages move.
create function listings.is_picture(address text) returns boolean
    language sql immutable strict
    return address ~ '^/pictures/[0-9a-f]{64}[.][a-z]+$';

-- What is there held the narrower rule, so it need not be looked through.
alter table listings.page drop constraint page_avatar_https;
alter table listings.page add constraint page_avatar_https
    check (listings.is_https(avatar_url) or listings.is_picture(avatar_url)) not valid;
alter table listings.game drop constraint game_cover_https;
alter table listings.game add constraint game_cover_https
    check (listings.is_https(cover_url) or listings.is_picture(cover_url)) not valid;
