-- Adds calls that were admitted while Redis was away to a month. It is idempotent: each mark is added once.
--
-- KEYS: the account's hash; the mark of these calls.
-- ARGV: the month; the number of calls (negative if calls were refunded).
-- Returns: the calls in the month, or -1 if Redis does not have the month.

local month_field = ARGV[1]
local month = tonumber(redis.call('hget', KEYS[1], month_field))
if not month then
  return -1
end
if redis.call('set', KEYS[2], 1, 'NX', 'EX', 86400) then
  month = math.max(0, month + tonumber(ARGV[2]))
  redis.call('hset', KEYS[1], month_field, month)
end
return month
