-- Creates the two roles and the schema of one service in the current database, or brings them up to date: it can run again at any time.
--
--     OWNER_PASSWORD=… ROLE_PASSWORD=… psql "$DATABASE_URL" -v service=gateway -f deploy/sql/roles.sql
--
-- The services are gateway, catalogue, listings, economy, webhook and web. `gateway_owner` owns the schema and what is in it, for
-- `gateway migrate`; `gateway` reads and writes rows, for the service. The user of psql needs CREATEROLE and must own the database.
--
-- service         the name of the schema and of the role that the service uses
-- database        a database of its own for the service, which is created if it is missing; the user of psql then needs CREATEDB
-- password        the password of this role; by default ROLE_PASSWORD, because everyone can read the arguments of a process; without both, the
--                 role keeps the password that it has
-- owner_password  that of the owner; by default OWNER_PASSWORD
-- comment         the comment of both roles, to recognize them: a role with another comment is not changed, and the script fails
\set ON_ERROR_STOP on
\set SHOW_CONTEXT never
\if :{?password}
\else
  \getenv password ROLE_PASSWORD
\endif
\if :{?owner_password}
\else
  \getenv owner_password OWNER_PASSWORD
\endif
\set owner :service _owner

\if :{?database}
  select format('create database %I template template0 locale ''C.UTF-8''', :'database') where not exists (select from pg_database where datname = :'database') \gexec
  \connect :"database"
  select format('revoke all on database %I from public', current_database()) \gexec
\endif
set client_min_messages = warning;
-- A service that starts during this script sees the roles with all their rights, or not at all: with a password alone, `SERVICE migrate` would create
-- tables before the default privileges below, and the service could not read them.
begin;

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

\if :{?comment}
  select format(
    'do $do$ begin raise exception %L using hint = %L; end $do$',
    format('the server already has a role %I, which this fleet has not created', rolname),
    'use another server, or give each service the URL of a database that is ready to use')
  from pg_roles
  where rolname in (:'service', :'owner') and coalesce(shobj_description(oid, 'pg_authid'), '') <> :'comment' \gexec
\endif

select format('create role %I', role) from unnest(array[:'service', :'owner']) as role
where not exists (select from pg_roles where rolname = role) \gexec
alter role :"service" login;
alter role :"owner" login;
\if :{?password}
  alter role :"service" password :'password';
\endif
\if :{?owner_password}
  alter role :"owner" password :'owner_password';
\endif
\if :{?comment}
  comment on role :"service" is :'comment';
  comment on role :"owner" is :'comment';
\endif

-- Only a superuser or a member of a role may create a schema for it.
select format('grant %I to %I', :'owner', current_user) from pg_roles where rolname = current_user and not rolsuper \gexec

select format('grant connect on database %I to %I, %I', current_database(), :'service', :'owner') \gexec
-- The migrations of a service create its schema if it is missing, which needs CREATE on the database even if the schema exists. This gives
-- no access to other schemas.
select format('grant create on database %I to %I', current_database(), :'owner') \gexec
select format('revoke create on database %I from %I', current_database(), :'service') \gexec
create schema if not exists :"service" authorization :"owner";

select nspowner = :'owner'::regrole as owns_schema from pg_namespace where nspname = :'service' \gset
\if :owns_schema
\else
  do $$ begin raise exception 'the schema belongs to another role' using hint = 'drop it if it is not needed, or use another database'; end $$;
\endif

grant usage on schema :"service" to :"service";
grant select, insert, update, delete on all tables in schema :"service" to :"service";
-- Only migrations write their table. `SERVICE migrate` revokes the same rights when there was no table yet.
select format('revoke insert, update, delete on %I._sqlx_migrations from %I', :'service', :'service')
from pg_tables where schemaname = :'service' and tablename = '_sqlx_migrations' \gexec
grant usage on all sequences in schema :"service" to :"service";
grant execute on all functions in schema :"service" to :"service";
-- The same for what later migrations create.
alter default privileges for role :"owner" in schema :"service" grant select, insert, update, delete on tables to :"service";
alter default privileges for role :"owner" in schema :"service" grant usage on sequences to :"service";
alter default privileges for role :"owner" in schema :"service" grant execute on functions to :"service";
commit;
