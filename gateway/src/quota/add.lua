-- Adds calls to a month that were let through while Redis was away. However often it is run, it adds them once.
--
-- KEYS: the account's month, a mark of these calls.
-- ARGV: the run of Redis (empty in a cluster), the calls (fewer than none when some were given back).
-- Answer: calls in the month, or -1 when this run does not count it yet.

local this_run = ARGV[1]
if this_run == '' then
  -- A cluster: only the node itself knows which run it is.
  this_run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local month, run = string.match(redis.call('get', KEYS[1]) or '', '^(%d+)@(.*)$')
if run ~= this_run then
  return -1
end
month = tonumber(month)
if redis.call('set', KEYS[2], 1, 'NX', 'EX', 86400) then
  month = math.max(0, month + tonumber(ARGV[2]))
  redis.call('set', KEYS[1], string.format('%.0f@%s', month, run), 'KEEPTTL')
end
return month
