-- Takes back what a call has used, because it was answered with a fault of ours.
--
-- KEYS: the account's hash.
-- ARGV: the key, the month, the run of Redis (empty in a cluster), start of the minute that the call was counted in, 1 when it used the
-- month.
-- Answer: 0 when the month, which it used, is not counted by this run, 1 otherwise.

local start_field, calls_field = ARGV[1] .. ':start', ARGV[1] .. ':calls'
local held = redis.call('hmget', KEYS[1], start_field, calls_field)
if held[1] == ARGV[4] and tonumber(held[2]) > 0 then
  redis.call('hincrby', KEYS[1], calls_field, -1)
end
if ARGV[5] ~= '1' then
  return 1
end

local run = ARGV[3]
if run == '' then
  -- A cluster: only the node itself knows which run it is.
  run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local month_field = ARGV[2] .. '@' .. run
local month = tonumber(redis.call('hget', KEYS[1], month_field))
if not month then
  return 0
end
redis.call('hset', KEYS[1], month_field, math.max(0, month - 1))
return 1
