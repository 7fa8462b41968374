-- Appends calls to the log of an account, and removes those that are too old or too many.
-- KEYS: the log, a list, newest first.
-- ARGV: the time in milliseconds before which calls are removed; the most calls; seconds until an unused log expires; calls.
-- A call begins with its time in milliseconds, 13 digits.
redis.call('LPUSH', KEYS[1], unpack(ARGV, 4))
redis.call('LTRIM', KEYS[1], 0, tonumber(ARGV[2]) - 1)
local oldest = tonumber(ARGV[1])
while true do
    local last = redis.call('LINDEX', KEYS[1], -1)
    local at = last and tonumber(string.sub(last, 1, 13))
    if not last or (at and at >= oldest) then
        break
    end
    redis.call('RPOP', KEYS[1])
end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
