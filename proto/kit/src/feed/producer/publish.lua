-- Publishes a producer's position, `<epoch>:<seq>`, unless the key has a newer one. KEYS: the position. ARGV: epoch, seq.
-- Epochs are UUIDs of version 7, whose texts sort by time.
local current = redis.call('GET', KEYS[1])
if current then
  local epoch, seq = string.match(current, '^(.*):(%d+)$')
  if epoch and (epoch > ARGV[1] or (epoch == ARGV[1] and tonumber(seq) >= tonumber(ARGV[2]))) then
    return
  end
end
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2])
