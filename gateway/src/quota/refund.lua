-- Takes back a call that ended in a server error.
--
-- KEYS: the account's hash.
-- ARGV: the key; the month; the run id of Redis (empty in a cluster); the start of the minute in which the call was counted; 1 if
-- the call counted in the month; 1 if it counted in the month of the public keys as well.
-- Returns: 0 if the call counted in the month and this run does not have the month, 1 otherwise.

local start_field, calls_field = ARGV[1] .. ':start', ARGV[1] .. ':calls'
local values = redis.call('hmget', KEYS[1], start_field, calls_field)
if values[1] == ARGV[4] and tonumber(values[2]) > 0 then
  redis.call('hincrby', KEYS[1], calls_field, -1)
end
if ARGV[5] ~= '1' then
  return 1
end

local run = ARGV[3]
if run == '' then
  -- In a cluster, only the node itself knows its run id.
  run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local month_field = ARGV[2] .. '@' .. run
local month = tonumber(redis.call('hget', KEYS[1], month_field))
if not month then
  return 0
end
redis.call('hset', KEYS[1], month_field, math.max(0, month - 1))
if ARGV[6] == '1' then
  local public_field = 'public:' .. ARGV[2]
  local public = tonumber(redis.call('hget', KEYS[1], public_field)) or 0
  redis.call('hset', KEYS[1], public_field, math.max(0, public - 1))
end
return 1
