-- Leaves a tombstone of a key: no call with it is allowed any more.
--
-- KEYS: the account's hash.
-- ARGV: the key, now in milliseconds.

redis.call('hset', KEYS[1], ARGV[1] .. ':start', 'revoked', ARGV[1] .. ':calls', ARGV[2])
if redis.call('ttl', KEYS[1]) < 0 then
  -- The account has not called: nothing but tombstones, which are needed until every gateway has met the revocation on the feed.
  redis.call('expire', KEYS[1], 86400)
end
return 1
