-- Tables of the kit (proto/kit/src), word for word: a test compares them.

-- Work that runs in one replica at a time.
create table web.lease (
    name text primary key,
    holder uuid not null,
    expires_at timestamptz not null
);

-- People who sign in.
create table web.person (
    id uuid primary key,
    -- In lower case.
    email text not null unique,
    -- argon2id, as a PHC string.
    password_hash text not null,
    -- The secret of an authenticator app, encrypted; null: no second factor.
    totp_secret bytea,
    -- The last step of 30 seconds whose code was used: a code works once.
    totp_step bigint not null default 0,
    -- The language of their mails and of pages that are in both languages.
    language text not null default 'en' constraint person_language check (language in ('en', 'fr')),
    -- False: they have switched notices off.
    wants_notices boolean not null default true
);

-- The cookie of a session has its token; only the hash of that is stored.
create table web.session (
    token_sha256 bytea primary key,
    person_id uuid not null references web.person on delete cascade,
    -- Whether the code of the second factor is still missing.
    stage text not null check (stage in ('signed_in', 'second_factor')),
    since timestamptz not null,
    -- The last request, to some minutes.
    seen timestamptz not null,
    -- Of the sign-in: the address of the client, and its browser.
    address text not null,
    agent text not null
);
create index session_by_person on web.session (person_id);

-- The attempts that a limit counts, in the window that ends at `until`. Unlogged: a crash of PostgreSQL or a failover forgets them.
create unlogged table web.attempt_count (
    until timestamptz not null,
    limit_name text not null,
    -- The hash of the subject of the limit, with an email address if the limit is for one.
    subject bytea not null,
    n integer not null,
    primary key (until, limit_name, subject)
);

-- Each replaces a code of the app once, and is removed then.
create table web.recovery_code (
    person_id uuid not null references web.person on delete cascade,
    code_sha256 bytea not null,
    primary key (person_id, code_sha256)
);

-- Links in mails. Only the hash of a link is stored; using a link removes it.
create table web.link (
    id uuid primary key,
    token_sha256 bytea not null unique,
    purpose text not null check (purpose in ('sign_up', 'reset', 'email', 'invite')),
    -- The address that the link was mailed to.
    email text not null,
    -- The person who resets a password or changes an address; or who invites, null for staff.
    person_id uuid references web.person on delete cascade,
    -- The account and the role of an invitation.
    account_id uuid,
    role text check (role in ('owner', 'developer', 'editor')),
    -- The person whom an invitation is for, who has had the address and has another one now. Null: whoever has the address.
    invited_id uuid references web.person on delete cascade,
    expires_at timestamptz not null,
    -- The network of the visitor who requested the mail, and when; null: the limit of the network does not count the mail.
    requested_from text,
    requested_at timestamptz,
    check ((purpose = 'invite') = (account_id is not null and role is not null)),
    check (case purpose when 'sign_up' then person_id is null when 'invite' then true else person_id is not null end)
);
create index link_by_account on web.link (account_id) where account_id is not null;
create index link_by_person on web.link (person_id);
create index link_by_invited on web.link (invited_id) where invited_id is not null;
create index link_by_expiry on web.link (expires_at);

-- Links that were used, until they would have expired: a second use is answered as the first one,
-- or says how to sign in.
create table web.used_link (
    token_sha256 bytea primary key,
    purpose text not null check (purpose in ('sign_up', 'reset', 'email', 'invite')),
    -- The address that the link was mailed to.
    email text not null,
    -- The person who used it, or whom it has made.
    person_id uuid not null references web.person on delete cascade,
    -- The account that the person made or joined with it.
    account_id uuid,
    expires_at timestamptz not null
);
create index used_link_by_person on web.used_link (person_id);
create index used_link_by_expiry on web.used_link (expires_at);

-- Mails to send (src/mail).
create table web.mail (
    id uuid primary key,
    recipient text not null,
    -- Only one job at a time sends to a domain.
    domain text not null generated always as (split_part(recipient, '@', -1)) stored,
    subject text not null,
    body text not null,
    created_at timestamptz not null,
    -- Of a mail that was not tried: '-infinity'.
    next_attempt_at timestamptz not null default '-infinity',
    -- How often the mail server did not accept the mail.
    tries integer not null default 0,
    -- When the mail server refused the mail for good, for the first time.
    refused_at timestamptz,
    -- A job sends the mail; before this time, no other one sends it or another mail to its domain.
    claimed_until timestamptz,
    -- How long the link in the mail works after the mail is sent; null: the mail has no link.
    link_lifetime interval,
    -- The link in the mail; null in a mail with a link: it was used, replaced or withdrawn.
    link_id uuid references web.link on delete set null
);
create index mail_by_priority on web.mail ((link_lifetime is null), next_attempt_at, id);
create index mail_by_claim on web.mail (claimed_until) where claimed_until is not null;
create index mail_by_link on web.mail (link_id) where link_id is not null;

-- Accounts of the gateway: which people may do what in one.
create table web.member (
    account_id uuid not null,
    person_id uuid not null references web.person on delete cascade,
    role text not null check (role in ('owner', 'developer', 'editor')),
    since timestamptz not null,
    primary key (account_id, person_id)
);
create index member_by_person on web.member (person_id);

-- Mails about an event that were sent, so that each is sent once.
create table web.sent_notice (
    -- The event, for example the use of 80 % of a month.
    notice text primary key,
    -- The event cannot come again after this time.
    until timestamptz not null
);
create index sent_notice_by_end on web.sent_notice (until);

-- Actions of people. Kept for a year, also after the person is gone.
create table web.activity (
    id uuid primary key,
    at timestamptz not null,
    -- Null: it concerns the person only.
    account_id uuid,
    person_id uuid not null,
    email text not null,
    action text not null,
    -- The object of the action, for example the name of a key.
    subject text not null,
    address text not null,
    agent text not null,
    -- The id of what the action has made, if it has one.
    effect_id uuid
);
create index activity_by_account on web.activity (account_id, id);
-- The decisions of staff, who are not named.
create index activity_of_staff on web.activity (account_id, id) where person_id = '00000000-0000-0000-0000-000000000000';
-- An effect has one entry, however many answers to its form there are.
create unique index activity_by_effect on web.activity (account_id, effect_id, action) where effect_id is not null;
create index activity_by_age on web.activity (at);

-- Actions of staff on people (kit::audit), and what the role of a member did not allow.
create table web.audit (
    id uuid primary key,
    at timestamptz not null,
    member text not null,
    role text not null,
    action text not null,
    entity text not null,
    name text not null,
    -- Whether the role of the member did not allow it.
    refused boolean not null,
    details jsonb not null
);
create index audit_by_age on web.audit (at, id);
create index audit_by_member on web.audit (member, at, id);
create index audit_by_name on web.audit (entity, name, at, id);

-- Up to where the feeds of other services were read for the mails about decisions, so that each decision is mailed once.
create table web.feed_position (
    -- The service.
    producer text primary key,
    -- The time of the newest change that was read.
    at timestamptz not null
);
