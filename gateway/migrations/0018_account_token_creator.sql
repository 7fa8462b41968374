-- The person who made a token, so that it ends when the person loses the role that may have tokens. Null: it was made before this was stored.
alter table gateway.account_token add column created_by uuid;
