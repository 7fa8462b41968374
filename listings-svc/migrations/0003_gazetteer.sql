-- What listings refer to: genres, countries and their cities. Nothing of it is ever deleted; a row's key never changes.
create table listings.genre (
    key text primary key,
    name text not null,
    source text not null default '',
    revision bigint not null,
    constraint genre_key_shape check (key ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(key) <= 100),
    constraint genre_name_length check (char_length(name) between 1 and 120)
);

create table listings.country (
    code text primary key,
    name text not null,
    source text not null default '',
    revision bigint not null,
    constraint country_code_shape check (code ~ '^[A-Z]{2}$'),
    constraint country_name_length check (char_length(name) between 1 and 120)
);

create table listings.city (
    slug text primary key,
    name text not null,
    country_code text not null,
    population bigint,
    source text not null default '',
    revision bigint not null,
    constraint city_slug_shape check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
    constraint city_name_length check (char_length(name) between 1 and 120),
    constraint city_country foreign key (country_code) references listings.country (code),
    constraint city_population_range check (population > 0)
);
