# Ruby's Net::HTTP with http-cookie: asks what each line of the input says, `METHOD URL`. The first argument is `alone` or `kept`.

require "net/http"
require "http/cookie"

$stdout.sync = true
jar = HTTP::CookieJar.new
keeps = ARGV.shift == "kept"
while (line = gets)
  method, url = line.split
  uri = URI(url)
  request = Net::HTTPGenericRequest.new(method, false, true, uri)
  request["Cookie"] = HTTP::Cookie.cookie_value(jar.cookies(uri)) if keeps
  answer = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }
  answer.get_fields("Set-Cookie")&.each { |each| jar.parse(each, uri) } if keeps
  puts answer.code
end
