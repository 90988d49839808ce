# What a shop says to Baton: response headers. Baton takes them off the answer. Each method sets its header on whatever has `[]=`,
# a response of Rails or Rack or a hash, and gives it back.

require "openssl"

module BatonKit
  # The most seats that Baton counts.
  LEFT_MAX = 10_000_000

  # The visitor is done: the lease ends and the next in line is called.
  def self.release(response)
    response["baton-release"] = "1"
    response
  end

  # The visitor needs `seconds` more before the hard end, for a slow payment. Baton's `lease_extend_max_s` bounds it.
  def self.extend_lease(response, seconds)
    raise ArgumentError, "extend_lease: #{seconds.inspect} is no number of seconds; give a whole number of 1 or more" unless seconds.is_a?(Integer) && seconds.positive?

    response["baton-extend"] = seconds.to_s
    response
  end

  # The shop has `left` seats. Signed with `secret`, which is ORIGIN_SECRET, for it concerns everybody in line.
  def self.stock(response, secret:, room:, left:, now_ms: Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond))
    raise ArgumentError, "stock: #{left.inspect} is no number of seats; give a whole number from 0 to #{LEFT_MAX}" unless left.is_a?(Integer) && left.between?(0, LEFT_MAX)

    mac = OpenSSL::HMAC.hexdigest("SHA256", secret, "baton-stock-v1\n#{now_ms}\n#{room}\n#{left}")
    response["baton-stock"] = "v1;left=#{left};t=#{now_ms};mac=#{mac}"
    response
  end
end
