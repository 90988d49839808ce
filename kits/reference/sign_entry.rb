# Signs an entry token for a customer and prints the link (docs/entry.md): ENTRY_KEY is the shop's key, AUDIENCE the room and host,
# such as onsale@tickets.example.com, PAGE the gated address.

require "base64"
require "json"
require "openssl"

part = ->(text) { Base64.urlsafe_encode64(text, padding: false) }
claims = { sub: ARGV[0], aud: ENV.fetch("AUDIENCE"), exp: Time.now.to_i + 3600 }
signed = [{ alg: "HS256", kid: "2027-a" }, claims].map { |value| part.(value.to_json) }.join(".")
mac = OpenSSL::HMAC.digest("SHA256", ENV.fetch("ENTRY_KEY"), signed)
puts "#{ENV.fetch("PAGE")}?baton_entry=#{signed}.#{part.(mac)}"
