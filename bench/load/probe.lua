-- Single random probes of awari with 15 stones, each stone in a random pit:
--   wrk -t1 -c16 -d10 --latency -s bench/load/probe.lua http://127.0.0.1:4848
math.randomseed(os.time())

local function board(stones)
  local pits = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
  for _ = 1, stones do
    local pit = math.random(12)
    pits[pit] = pits[pit] + 1
  end
  return table.concat(pits, ",", 1, 6) .. "/" .. table.concat(pits, ",", 7, 12)
end

request = function()
  return wrk.format("GET", "/api/v1/games/awari/probe?position=" .. board(15))
end
