# The shared table of test vectors, and checkers whose clock is the table's.

require "json"
require "minitest/autorun"
require_relative "../lib/baton_kit"

TABLE = JSON.parse(File.read(File.expand_path("../../vectors.json", __dir__), encoding: "UTF-8"))

def named(name)
  TABLE["requests"].find { |one| one["name"] == name }
end

# A checker of the table's shop, and what it logs.
def checker(**settings)
  said = []
  [BatonKit::Checker.new(secret: TABLE["secret"], hosts: TABLE["hosts"], mode: "enforce", now_ms: -> { TABLE["now_ms"] }, log: said.method(:push), **settings), said]
end

def checker_of(one, **settings)
  checker(rooms: one["rooms"] || {}, answers_preflights: one["answers_preflights"] || false, store: BatonKit::MemoryStore.new, **settings).first
end

# The request as a Rack server gives it.
def env_of(one)
  path, query = one["url"].split("?", 2)
  env = { "REQUEST_METHOD" => one["method"], "SCRIPT_NAME" => "", "PATH_INFO" => path, "QUERY_STRING" => query.to_s, "rack.url_scheme" => "http" }
  env.merge(one["headers"].to_h { |name, value| ["HTTP_#{name.upcase.tr("-", "_")}", value.b] })
end

def verdict_of(checker, one)
  path, query = one["url"].split("?", 2)
  checker.check(one["method"], path, query.to_s) { |name| one["headers"][name] }
end
