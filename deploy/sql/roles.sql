-- Creates the role and the schema of one service in the current database, or brings them up to date: it can run again at any time.
--
--     ROLE_PASSWORD=… psql "$DATABASE_URL" -v service=gateway -f deploy/sql/roles.sql
--
-- The services are gateway, catalogue, listings, economy, webhook and web. The user of psql needs CREATEROLE and must own the database.
--
-- service   the name of the role and of its schema
-- password  the password of the role; by default ROLE_PASSWORD, because everyone can read the arguments of a process; without both, the
--           role keeps the password that it has
-- owner     the comment of the role, to recognize it: a role with another comment is not changed, and the script fails
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
\if :{?password}
\else
  \getenv password ROLE_PASSWORD
\endif
set client_min_messages = warning;

select rolsuper or (rolcreaterole and has_database_privilege(current_database(), 'create with grant option')) as may_create
from pg_roles where rolname = current_user \gset
\if :may_create
\else
  do $$ begin
    raise exception '% may not create roles or does not own the database', current_user
      using hint = format(
        'run `alter role %1$I createrole; alter database %2$I owner to %1$I` as a superuser', current_user, current_database());
  end $$;
\endif

\if :{?owner}
  select format(
    'do $do$ begin raise exception %L using hint = %L; end $do$',
    format('the server already has a role %I, which this fleet has not created', :'service'),
    'use another server, or give each service the URL of a database that is ready to use')
  from pg_roles
  where rolname = :'service' and coalesce(shobj_description(oid, 'pg_authid'), '') <> :'owner' \gexec
\endif

select format('create role %I', :'service')
where not exists (select from pg_roles where rolname = :'service') \gexec
alter role :"service" login;
\if :{?password}
  alter role :"service" password :'password';
\endif
\if :{?owner}
  comment on role :"service" is :'owner';
\endif

-- Only a superuser or a member of a role may create a schema for it.
select format('grant %I to %I', :'service', current_user) from pg_roles where rolname = current_user and not rolsuper \gexec
-- The migrations of a service create its schema if it is missing, which needs CREATE on the database even if the schema exists. This gives
-- no access to other schemas.
select format('grant connect, create on database %I to %I', current_database(), :'service') \gexec
create schema if not exists :"service" authorization :"service";

select nspowner = :'service'::regrole as owns_schema from pg_namespace where nspname = :'service' \gset
\if :owns_schema
\else
  do $$ begin raise exception 'the schema belongs to another role' using hint = 'drop it if it is not needed, or use another database'; end $$;
\endif
