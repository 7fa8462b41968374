-- The dashboard lists what programs with account tokens have changed in an account.
create index audit_of_tokens on gateway.audit ((details ->> 'account'), id) where role = 'token';
