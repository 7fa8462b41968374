-- Adds calls that were admitted while Redis was away to a month. It is idempotent: each mark is added once.
--
-- KEYS: the account's hash; the mark of these calls.
-- ARGV: the month; the run id of Redis (empty in a cluster); the number of calls (negative if calls were refunded).
-- Returns: the calls in the month, or -1 if this run does not have the month.

local run = ARGV[2]
if run == '' then
  -- In a cluster, only the node itself knows its run id.
  run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local month_field = ARGV[1] .. '@' .. run
local month = tonumber(redis.call('hget', KEYS[1], month_field))
if not month then
  return -1
end
if redis.call('set', KEYS[2], 1, 'NX', 'EX', 86400) then
  month = math.max(0, month + tonumber(ARGV[3]))
  redis.call('hset', KEYS[1], month_field, month)
end
return month
