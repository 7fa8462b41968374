-- Makes this run of Redis count a month. It starts with the count in PostgreSQL or with that of an earlier run, whichever is
-- higher.
--
-- KEYS: the account's hash.
-- ARGV: the month; the run id of Redis (empty in a cluster); and, except for a mere check: the count in PostgreSQL, and the last
-- day of the month before, as a month and in milliseconds.
-- Returns: 1 if this run counts the month.

local run = ARGV[2]
if run == '' then
  -- In a cluster, only the node itself knows its run id.
  run = string.sub(string.match(redis.call('info', 'server'), 'run_id:(%w+)'), 1, 20)
end
local month_field = ARGV[1] .. '@' .. run
if tonumber(redis.call('hget', KEYS[1], month_field)) then
  return 1
end
if not ARGV[3] then
  return 0
end

local month, last_month, last_day = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local values = redis.call('hgetall', KEYS[1])
local fields = {}
for i = 1, #values, 2 do
  fields[values[i]] = values[i + 1]
end
for field, value in pairs(fields) do
  local counted = string.match(field, '^(.*)@')
  local public = string.match(field, '^public:(.*)$')
  local key = string.match(field, '^(.*):start$')
  if counted == ARGV[1] then
    month = math.max(month, tonumber(value) or 0)
    redis.call('hdel', KEYS[1], field)
  elseif (counted or public) and (counted or public) < last_month then
    redis.call('hdel', KEYS[1], field)
  elseif key then
    -- Removes minutes and tombstones that have expired. A tombstone has its time in i of the calls.
    local at = tonumber(value) or tonumber(fields[key .. ':calls'])
    if not at or at < last_day then
      redis.call('hdel', KEYS[1], field, key .. ':calls')
    end
  end
end
redis.call('hset', KEYS[1], month_field, month)
redis.call('expire', KEYS[1], 5356800)
return 1
