-- People read their pages and mails in their language, and switch kinds of mails off.
alter table web.person
    add column language text not null default 'en' constraint person_language check (language in ('en', 'fr')),
    -- The kinds of mails that the person does not want.
    add column muted_notices text[] not null default '{}';

alter table web.link drop constraint link_purpose_check;
alter table web.link add constraint link_purpose_check
    check (purpose in ('sign_up', 'reset', 'email', 'invite', 'end_factor', 'keep_factor'));

-- Second factors of people who have lost phone and recovery codes: each ends at its time, unless somebody stops it before.
create table web.factor_end (
    person_id uuid primary key references web.person on delete cascade,
    -- Of the person when it was asked for. Any later change of the credentials stops it.
    credential_version integer not null,
    ends_at timestamptz not null,
    -- Who asked for it, for the activity of the person.
    address text not null,
    agent text not null
);
create index factor_end_by_time on web.factor_end (ends_at);

-- What the keys, listings and reports of an account were when they were last read, so that each decision about them is mailed once.
create table web.decision_state (
    account_id uuid not null,
    -- The service that was read.
    source text not null,
    read_at timestamptz not null,
    -- What was decided on, and the decision, in the same order.
    subjects text[] not null,
    states text[] not null,
    primary key (account_id, source)
);
