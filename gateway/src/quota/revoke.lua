-- Adds a tombstone for a key: calls with it are rejected from now on.
--
-- KEYS: the account's hash.
-- ARGV: the key; now in milliseconds.

redis.call('hset', KEYS[1], ARGV[1] .. ':revoked', ARGV[2])
if redis.call('ttl', KEYS[1]) < 0 then
  -- The hash has tombstones only. They are needed until every gateway has read the revocation from the feed.
  redis.call('expire', KEYS[1], 86400)
end
return 1
