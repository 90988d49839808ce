# The test's shop on Rack with Baton's kit. Its routes are those of tests/kits/support/story.mjs.
#
# ORIGIN_SECRET, BATON_HOSTS and BATON_MODE come from the environment, the database file from SHOP_DATABASE.

require "digest"
require "json"
require "rack"
require "sqlite3"
require_relative "../../../kits/ruby/lib/baton_kit"

SECRET = ENV.fetch("ORIGIN_SECRET")
DB = SQLite3::Database.new(ENV.fetch("SHOP_DATABASE"))
DB.execute(BatonKit::FenceGuard::SCHEMA)
LOCK = Mutex.new

# What stands in for a CSRF library: a form comes from the shop's own pages.
class FromOwnPages
  def initialize(app) = @app = app

  def call(env)
    request = Rack::Request.new(env)
    return @app.call(env) if !request.post? || request.path == "/buy/paid" || env["HTTP_ORIGIN"] == request.base_url

    [403, {}, ["not from this shop"]]
  end
end

def json(value, status: 200)
  Rack::Response.new(JSON.generate(value), status, "content-type" => "application/json")
end

def seat(request)
  LOCK.synchronize do
    DB.transaction do
      BatonKit::FenceGuard.hold(request.env["baton.visit"], "seat:#{request.params["seat"]}") { |sql, values| DB.execute(sql, values) && DB.changes }
    end
  end
  json({ seat: request.params["seat"] })
rescue BatonKit::StaleFence, BatonKit::NoLease => e
  json({ refused: e.class.name }, status: 409)
end

def front(request)
  visit = request.env["baton.visit"]
  json({ csrf: "", absolute: "#{request.base_url}/buy/seat", name: request.session["name"], path: request.path, visit: visit && { room: visit.room, ticket: visit.ticket, fence: visit.fence } })
end

def redirect(to, status)
  Rack::Response.new.tap { |response| response.redirect(to, status) }
end

def upload(request)
  file = request.params["ticket"][:tempfile].read
  json({ bytes: file.bytesize, sha256: Digest::SHA256.hexdigest(file) })
end

def login(request)
  request.session["name"] = request.params["name"]
  redirect("#{request.base_url}/buy/", 302)
end

ROUTES = {
  "POST /buy/login" => method(:login), "POST /buy/seat" => method(:seat), "POST /buy/upload" => method(:upload),
  "GET /buy/more" => ->(_) { BatonKit.stock(BatonKit.extend_lease(json({ more: true }), 60), secret: SECRET, room: "onsale", left: 1_200) },
  "POST /buy/paid" => ->(_) { redirect("/buy/thanks", 303) },
  "POST /buy/done" => ->(_) { BatonKit.release(json({ done: true })) }
}.freeze

use BatonKit::Rack, secret: SECRET, hosts: ENV.fetch("BATON_HOSTS").split(","), mode: ENV.fetch("BATON_MODE")
use Rack::Session::Cookie, secret: "of no account, and long enough for that"
use FromOwnPages
run(lambda do |env|
  request = Rack::Request.new(env)
  (ROUTES["#{request.request_method} #{request.path}"] || method(:front)).call(request).finish
end)
