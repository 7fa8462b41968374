-- Raises a producer's position, `<epoch>:<seq>`. KEYS: the position. ARGV: epoch, seq, until when it holds (Unix, milliseconds).
-- Of the same epoch the larger seq stays; another epoch takes the place of what was there.
local held = redis.call('GET', KEYS[1])
if held then
  local epoch, seq = string.match(held, '^(.*):(%d+)$')
  if epoch == ARGV[1] and tonumber(seq) > tonumber(ARGV[2]) then
    return 0
  end
end
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2], 'PXAT', ARGV[3])
return 1
