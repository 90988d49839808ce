-- For wrk: one request for each of many visitors. Arguments: the file with a cookie a line, the origin, the method, the status that counts, and
-- `once` or `again`. Prints `good N`: how many answers had that status. With `once` it stops when all have asked; the last may be asked again
-- until wrk has stopped. With `again` it begins anew.

local requests, at, wanted, isOnce = {}, 0, 0, true
good = 0

function setup(thread)
  thread_of_all = thread
end

function init(args)
  local headers = { Origin = args[2], Host = args[2]:gsub("^https?://", ""), Accept = "application/json" }
  if args[3] == "POST" then headers["Content-Length"] = "0" end
  for cookie in io.lines(args[1]) do
    headers.Cookie = cookie
    requests[#requests + 1] = wrk.format(args[3], nil, headers)
  end
  wanted, isOnce = tonumber(args[4]), args[5] == "once"
end

function request()
  at = at + 1
  if isOnce then return requests[at] or requests[#requests] end
  return requests[(at - 1) % #requests + 1]
end

function response(status)
  if status == wanted then good = good + 1 end
  if isOnce and at >= #requests then wrk.thread:stop() end
end

function done()
  io.write("good " .. thread_of_all:get("good") .. "\n")
end
