-- People read their pages and mails in their language, and may switch notices off.
alter table web.person
    add column language text not null default 'en' constraint person_language check (language in ('en', 'fr')),
    add column wants_notices boolean not null default true;

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
