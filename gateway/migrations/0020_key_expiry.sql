-- Keys that expire soon, for mails to their people.
create index key_by_expiry on gateway.key (expires_at) where revoked_at is null and grace_until is null;
