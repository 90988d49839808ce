# Baton's check in front of a Rack application:
#
#   use BatonKit::Rack, secret: ENV.fetch("ORIGIN_SECRET"), hosts: ["tickets.example.com"]               # config.ru
#   config.middleware.insert_before(0, BatonKit::Rack) { { secret: ENV["ORIGIN_SECRET"], hosts: … } }    # Rails
#
# The application finds the `Visit`, or nil, in `env["baton.visit"]`. After the proof was found right, host and scheme are the
# visitor's, so absolute URLs lead back through Baton. Rack believes any X-Forwarded-Host; without a right proof one that names
# none of the shop's hosts is taken off.

require_relative "checker"

module BatonKit
  # Passes on what came through Baton. In the mode "enforce" it answers the rest 403.
  class Rack
    # Takes the settings of a Checker, or one as `checker:`. Settings that a block gives are asked for with the first request: Rails
    # makes its middleware for migrations and the like too, where they need not be known.
    def initialize(app, checker: nil, **settings, &later)
      @app = app
      @settings = later
      @first = Mutex.new
      @checker = checker || (Checker.new(**settings) unless later)
    end

    def call(env)
      @checker || @first.synchronize { @checker ||= Checker.new(**@settings.call) }
      # Rack's servers give the path as it arrived, escapes included.
      mount = env["SCRIPT_NAME"].to_s
      path = "#{mount}#{env["PATH_INFO"]}"
      verdict = @checker.check(env["REQUEST_METHOD"], path, env["QUERY_STRING"].to_s, mount: mount) { |name| env["HTTP_#{name.upcase.tr("-", "_")}"] }
      return refusal(env, verdict) if verdict.refused

      env["baton.visit"] = verdict.visit
      believe(env, verdict.visit)
      status, headers, body = @app.call(env)
      [status, headers.merge("baton-checked" => verdict.checked), body]
    end

    private

    def believe(env, visit)
      if visit
        env["HTTP_HOST"] = env["HTTP_X_FORWARDED_HOST"] = visit.host
        env["rack.url_scheme"] = env["HTTP_X_FORWARDED_PROTO"] = visit.scheme
        visit.scheme == "https" ? env["HTTPS"] = "on" : env.delete("HTTPS")
      elsif env["HTTP_X_FORWARDED_HOST"]
        ours = env["HTTP_X_FORWARDED_HOST"].split(",").all? { |name| @checker.host?(name) }
        env.delete("HTTP_X_FORWARDED_HOST") unless ours
      end
    end

    def refusal(env, verdict)
      headers = { "content-type" => "text/plain; charset=utf-8", "cache-control" => "no-store", "baton-checked" => verdict.checked }
      [403, headers, env["REQUEST_METHOD"] == "HEAD" ? [] : [verdict.refusal]]
    end
  end
end
