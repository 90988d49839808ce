-- For wrk: each request is the join of another visitor. Arguments: the file with a cookie a line, the origin.
-- Prints `fresh N`: how many were answered 201, a new number. Stops when all have joined.

local requests, at, thread_of_all = {}, 0, nil
fresh = 0

function setup(thread)
  thread_of_all = thread
end

function init(args)
  for cookie in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", nil, { Cookie = cookie, Origin = args[2], Accept = "application/json", ["Content-Length"] = "0" })
  end
end

function request()
  at = at + 1
  return requests[at] or requests[#requests]
end

function response(status)
  if status == 201 then fresh = fresh + 1 end
  if at >= #requests then wrk.thread:stop() end
end

function done()
  io.write("fresh " .. thread_of_all:get("fresh") .. "\n")
end
