-- Starts to count a month with the count in PostgreSQL, and removes expired fields. A month that is counted already stays as it is.
--
-- KEYS: the account's hash.
-- ARGV: the month; the count in PostgreSQL; the last day of the month before, as a month and in milliseconds.

if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then
  return 1
end

local last_month, last_day = ARGV[3], tonumber(ARGV[4])
local values = redis.call('hgetall', KEYS[1])
for i = 1, #values, 2 do
  local field, value = values[i], tonumber(values[i + 1])
  local month = string.match(field, '^%d%d%d%d%-%d%d$') or string.match(field, '^public:(.*)$')
    or string.match(field, '^day:(%d%d%d%d%-%d%d)')
  local key, kind = string.match(field, '^(.*):(%l+)$')
  if month and month < last_month then
    redis.call('hdel', KEYS[1], field)
  elseif (kind == 'start' or kind == 'revoked') and (not value or value < last_day) then
    -- A minute or a tombstone that has expired.
    redis.call('hdel', KEYS[1], field)
    if kind == 'start' then
      redis.call('hdel', KEYS[1], key .. ':calls')
    end
  end
end
redis.call('hset', KEYS[1], ARGV[1], ARGV[2])
redis.call('expire', KEYS[1], 5356800)
return 1
