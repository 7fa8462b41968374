-- The listings. `mode` keeps the two worlds of the contract apart: 'live' holds real listings, 'test' samples. A slug or handle is
-- unique in its world and, since nothing is deleted, never used a second time. Each row has a `revision` that counts its changes.

-- Whether no item of a list comes twice.
create function listings.all_distinct(items text[]) returns boolean
    language sql immutable strict
    return (select count(distinct item) = cardinality(items) from unnest(items) as item);

-- Whether a text is an https address with a host, as far as SQL can tell.
create function listings.is_https(address text) returns boolean
    language sql immutable strict
    return address ~* '^https://[^/?#[:space:]]+' and address !~ '[[:space:]]' and char_length(address) <= 2048;

-- A studio's or a person's page: a creator, to the public.
create table listings.page (
    id uuid primary key,
    mode text not null,
    state text not null,
    revision bigint not null,
    handle text not null,
    name text not null,
    kind text not null,
    roles text[] not null,
    tagline text not null,
    bio text not null,
    avatar_url text,
    country_code text not null,
    -- As the gazetteer writes it, or as its owner does; empty when not known, and then the slug is too.
    city text not null,
    city_slug text not null,
    verified boolean not null,
    links jsonb not null,
    source text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint page_mode check (mode in ('live', 'test')),
    constraint page_state check (state in ('pending', 'published', 'rejected', 'removed')),
    constraint page_handle_taken unique (mode, handle),
    -- So that a game's reference cannot cross from one world into the other.
    constraint page_world unique (id, mode),
    constraint page_handle_shape check (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(handle) <= 100),
    constraint page_name_length check (char_length(name) between 1 and 120),
    constraint page_kind check (kind in ('studio', 'person')),
    constraint page_roles_distinct check (listings.all_distinct(roles)),
    constraint page_tagline_length check (char_length(tagline) <= 160),
    constraint page_bio_length check (char_length(bio) <= 10000),
    constraint page_avatar_https check (listings.is_https(avatar_url)),
    constraint page_country foreign key (country_code) references listings.country (code),
    constraint page_city_length check (char_length(city) <= 120),
    constraint page_city_slug check ((city = '') = (city_slug = '')),
    constraint page_links_object check (jsonb_typeof(links) = 'object'),
    constraint page_times check (updated_at >= created_at)
);

create table listings.game (
    id uuid primary key,
    mode text not null,
    state text not null,
    revision bigint not null,
    slug text not null,
    title text not null,
    tagline text not null,
    description text not null,
    cover_url text,
    screenshots jsonb not null,
    genres text[] not null,
    platforms text[] not null,
    stage text not null,
    release_year integer not null,
    trailer_url text,
    links jsonb not null,
    credits jsonb not null,
    featured boolean not null,
    -- Whose it is; name, country and city of a game are its page's.
    page_id uuid not null,
    source text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint game_mode check (mode in ('live', 'test')),
    constraint game_state check (state in ('pending', 'published', 'rejected', 'removed')),
    constraint game_slug_taken unique (mode, slug),
    constraint game_slug_shape check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
    constraint game_title_length check (char_length(title) between 1 and 120),
    constraint game_tagline_length check (char_length(tagline) <= 160),
    constraint game_description_length check (char_length(description) <= 10000),
    constraint game_cover_https check (listings.is_https(cover_url)),
    constraint game_screenshots_list check (jsonb_typeof(screenshots) = 'array'),
    constraint game_genres_count check (cardinality(genres) <= 3 and listings.all_distinct(genres)),
    constraint game_platforms_known check (
        platforms <@ array['web', 'android', 'ios', 'windows', 'mac', 'linux', 'switch', 'playstation', 'xbox', 'vr']
        and listings.all_distinct(platforms)
    ),
    constraint game_stage check (stage in ('in_development', 'early_access', 'released')),
    constraint game_release_year_range check (release_year between 1950 and 9999),
    constraint game_trailer_https check (listings.is_https(trailer_url)),
    constraint game_links_object check (jsonb_typeof(links) = 'object'),
    constraint game_credits_list check (jsonb_typeof(credits) = 'array'),
    constraint game_page foreign key (page_id, mode) references listings.page (id, mode),
    constraint game_times check (updated_at >= created_at)
);
create index game_by_page on listings.game (page_id);

create table listings.event (
    id uuid primary key,
    mode text not null,
    state text not null,
    revision bigint not null,
    slug text not null,
    title text not null,
    kind text not null,
    starts_at date not null,
    ends_at date,
    country_code text not null,
    city text not null,
    city_slug text not null,
    online boolean not null,
    -- The event's own site.
    website text,
    description text not null,
    source text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint event_mode check (mode in ('live', 'test')),
    constraint event_state check (state in ('pending', 'published', 'rejected', 'removed')),
    constraint event_slug_taken unique (mode, slug),
    constraint event_slug_shape check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
    constraint event_title_length check (char_length(title) between 1 and 120),
    constraint event_kind check (kind in ('jam', 'meetup', 'tournament', 'showcase', 'conference')),
    constraint event_days check (ends_at >= starts_at),
    constraint event_country foreign key (country_code) references listings.country (code),
    constraint event_city_length check (char_length(city) between 1 and 120 and city_slug <> ''),
    constraint event_website_https check (listings.is_https(website)),
    constraint event_description_length check (char_length(description) <= 10000),
    constraint event_times check (updated_at >= created_at)
);

-- Every change of a page, a game or an event: who, when, what it was and what it became.
create table listings.revision (
    entity text not null,
    id uuid not null,
    revision bigint not null,
    at timestamptz not null,
    -- The newest revision tells who changed a listing last: an import, say, or later its owner.
    actor_kind text not null,
    actor text not null,
    -- Null for the first.
    before jsonb,
    after jsonb not null,
    primary key (entity, id, revision),
    constraint revision_entity check (entity in ('page', 'game', 'event'))
);
