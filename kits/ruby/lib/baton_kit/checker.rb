# Tells whether a request came through Baton: the check of `Baton-Proof`, without any framework.
#
# The order of the steps matters. The MAC is verified first, over `Baton-Target` as Baton sent it; only then is the target
# compared with the request's own path and query, as they are when decoded. docs/protocol.md of Baton has the form.

require "openssl"
require_relative "stores"

module BatonKit
  # How far a proof's time may be from this machine's clock.
  SKEW_MAX_MS = 60_000

  # Why a request is refused, each with what to do about it. The keys are the words in `Baton-Checked`.
  REASONS = {
    "missing" => "Baton-Proof or Baton-Target is missing: the request did not come through Baton, or Baton has no ORIGIN_SECRET",
    "malformed" => "Baton-Proof is not of the form v1;t=…;n=…;mac=…: a proxy changed it, or somebody made it up",
    "host" => "neither X-Forwarded-Host nor Host is one of the public hosts: add the visitors' host to the kit's hosts",
    "mac" => "the proof is not of this request: compare the secret with Baton's ORIGIN_SECRET, and look for a proxy that changes the method or headers",
    "time" => "the proof is more than a minute off: set this machine's clock by NTP",
    "target" => "path, query or mount point are not those that Baton sent: look for a proxy that rewrites addresses, and for a header that names a mount point; if the shop is mounted below a path, set the kit's mount",
    "replay" => "the proof was taken before, or the replay store could not tell",
    "room" => "the path is another room's by the kit's rooms: compare them with the paths in Baton's configuration. A preflight has no room: see answers_preflights"
  }.freeze

  # What Baton says of a visitor, after the proof was found right. `fence` is nil without a lease: a farewell page, an open
  # path, the mode `bypass`. The number, `ticket`, is unique in its `edition`, which is 0 where no room gates the path. `address` is
  # the visitor's own, or nil; `enforced` says that the kit's mode is "enforce".
  Visit = Struct.new(:host, :scheme, :room, :edition, :ticket, :fence, :ends_at_ms, :address, :enforced, keyword_init: true) do
    # Whether the visitor holds a lease, or the room lets people in without one: its staff, and everybody in `observe` and `bypass`.
    def may_reserve?
      !fence.nil? || (!room.nil? && ticket.nil?)
    end
  end

  # What the check found. One of `visit` and `reason` is nil, and both are for a health check; `refused` says that the request must not go on.
  Verdict = Struct.new(:visit, :reason, :refused, keyword_init: true) do
    # The value of the response header `Baton-Checked`.
    def checked
      reason ? "no;#{reason}" : "ok"
    end

    # The text of the answer 403.
    def refusal
      "Please come in by the front door. (#{reason})\n"
    end
  end

  # Checks requests, and remembers nothing of them but their proofs. Safe for threads.
  class Checker
    SHAPE = /\Av1;t=(0|[1-9][0-9]{0,14});n=([0-9a-f]{16});mac=([0-9a-f]{64})\z/.freeze
    UNCHANGING = %w[GET HEAD OPTIONS].freeze
    MODES = %w[report enforce].freeze
    private_constant :SHAPE, :UNCHANGING, :MODES

    # `secret`: Baton's ORIGIN_SECRET. `hosts`: the public hosts, with port if any, under which visitors reach Baton. `mode`:
    # "report" lets everything through and logs what would be refused, "enforce" refuses it. `rooms`: rooms by the beginning of
    # a path; the longest beginning counts. A preflight to such a path is refused, for an action that does not look at the method
    # would run for it; with `answers_preflights` the shop answers preflights before, as rack-cors does, and they go on. `mount`: the
    # path below which the server mounts the shop; some take it from a client's header. `health`: paths that the platform's own health check asks without
    # Baton, by GET or HEAD; what they show, everybody sees. `store` remembers proofs for all processes, and each then counts once; without
    # it this process remembers those of methods that change something. `log` is called with a line for each refusal.
    def initialize(secret:, hosts:, mode: "report", rooms: {}, store: nil, mount: "", answers_preflights: false, health: [], log: $stderr.method(:puts), now_ms: -> { Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond) })
      raise ArgumentError, "Baton's secret is empty: without it nobody can be told from anybody else. Set it to Baton's ORIGIN_SECRET" if secret.to_s.empty?
      raise ArgumentError, "Baton's mode #{mode.inspect} is unknown; set it to \"report\" or \"enforce\"" unless MODES.include?(mode.to_s)

      @secret = secret
      @hosts = checked_hosts(hosts)
      @enforces = mode.to_s == "enforce"
      @rooms = rooms.map { |beginning, names| [folded(beginning), names] }.sort_by { |beginning, _| -beginning.bytesize }
      @mount = mount.chomp("/")
      @answers_preflights = answers_preflights
      @health = checked_health(health)
      @store = store
      @is_tried = false
      @memory = MemoryStore.new
      @log = log
      @now_ms = now_ms
    end

    # Checks one request and logs what is refused. `path` is the whole path as it arrived, `query` the raw query without
    # `?`, `mount` the mount point as the server gave it; the block gives a header by its lower-case name, or nil. Never raises: a
    # store that fails refuses the request.
    def check(method, path, query, mount: nil, &header)
      return Verdict.new(refused: false) if @health.include?(path.b) && %w[GET HEAD].include?(method) && header.call("baton-proof").nil?

      path = decoded(path)
      reason = catch(:refused) { return Verdict.new(visit: judge(method, path, query.b, mount, header), refused: false) }
      shown = path.dup.force_encoding("UTF-8").scrub("?").inspect
      @log.call("baton: #{@enforces ? "refused" : "would refuse"} #{method} #{shown} (#{reason}): #{REASONS[reason]}")
      Verdict.new(reason: reason, refused: @enforces)
    end

    # Whether a host is one of the shop's own.
    def host?(name)
      @hosts.include?(name.strip.downcase)
    end

    private

    def judge(method, path, query, mount, header)
      proof, target = header.call("baton-proof"), header.call("baton-target")
      throw :refused, "missing" if proof.to_s.empty? || target.to_s.empty?
      _, t, nonce, mac = *SHAPE.match(proof.b)
      throw :refused, "malformed" unless mac
      room, fence = present(header.call("baton-room"), ""), present(header.call("baton-fence"), "0")
      host = signed_host(mac, ->(name) { [t, nonce, method, name, target, room, fence] }, header)
      now_ms = @now_ms.call
      throw :refused, "time" if (now_ms - t.to_i).abs > SKEW_MAX_MS
      signed_path, signed_query = target.b.split("?", 2)
      throw :refused, "target" unless decoded(signed_path) == path && signed_query.to_s == query
      throw :refused, "target" unless mount.nil? || mount.chomp("/") == @mount
      take("#{t}:#{nonce}", method, now_ms)
      expect(room, method, path)
      visit_of(host, room, fence, header)
    end

    # The public host that the proof was made for. Who sends the request chooses among the shop's own hosts only.
    def signed_host(mac, signed, header)
      named = [*header.call("x-forwarded-host").to_s.split(","), header.call("host").to_s].map { |name| name.strip.downcase }
      hosts = named.select { |name| @hosts.include?(name) }
      throw :refused, "host" if hosts.empty?
      hosts.find { |name| OpenSSL.fixed_length_secure_compare(mac, mac_of(signed.call(name))) } || throw(:refused, "mac")
    end

    def mac_of(lines)
      OpenSSL::HMAC.hexdigest("SHA256", @secret, ["baton-proof-v1", *lines].map(&:b).join("\n"))
    end

    def take(key, method, now_ms)
      store = @store || (UNCHANGING.include?(method) ? nil : @memory)
      return unless store

      # A proof may be a minute ahead, and then lives for another minute.
      until_ms = now_ms + 2 * SKEW_MAX_MS
      is_new = store.take(key, now_ms, until_ms)
      # Once: a store that remembers nothing calls each replay the first.
      forgets = is_new && !@is_tried && store.take(key, now_ms, until_ms)
      @is_tried = true
      @log.call("baton: the replay store remembers nothing: name one that all processes share, or take it out of the kit's settings") if forgets
    rescue StandardError => e
      @log.call("baton: the replay store failed; see to it, or take it out of the kit's settings: #{e.message}")
    ensure
      throw :refused, "replay" if store && !is_new
    end

    def expect(room, method, path)
      # A preflight carries no cookies, so it has no room.
      return if method == "OPTIONS" && room.empty? && @answers_preflights

      readings(path).each do |reading|
        text = folded(reading)
        _, names = @rooms.find { |beginning, _| text.start_with?(beginning) }
        throw :refused, "room" if names && !names.include?(room)
      end
    end

    # A path with upper case and lower case alike, as Baton takes them, and with it routers that do not tell them apart: by way of
    # upper case.
    def folded(path)
      path.dup.force_encoding(Encoding::UTF_8).scrub.downcase.upcase.downcase.gsub("i\u0307", "i")
    end

    # A path as a shop may read it. One that begins with several slashes is to some the same with one, and to some what stands
    # behind its first segment, which they take for a host.
    def readings(path)
      rest = path[%r{\A[/\\]{2,}(.*)\z}mn, 1]
      rest ? [path, "/#{rest}", rest.sub(%r{\A[^/\\]*[/\\]*}n, "/")] : [path]
    end

    def visit_of(host, room, fence, header)
      number = ->(name) { header.call(name)&.match?(/\A[0-9]+\z/) ? header.call(name).to_i : nil }
      Visit.new(
        host: host, scheme: header.call("x-forwarded-proto") == "http" ? "http" : "https", room: room.empty? ? nil : room,
        edition: number.call("baton-edition") || 0, ticket: number.call("baton-ticket"), fence: fence == "0" ? nil : fence.to_i,
        ends_at_ms: number.call("baton-ends-at-ms"), enforced: @enforces,
        # Baton writes one address; a proxy behind it adds its own at the end.
        address: present(header.call("x-forwarded-for").to_s.split(",").first.to_s.strip, nil)
      )
    end

    # A path's bytes without escapes. An escape that is none stays as it is.
    def decoded(path)
      path.b.gsub(/%(\h\h)/n) { $1.hex.chr }
    end

    def present(value, otherwise)
      value.to_s.empty? ? otherwise : value
    end

    def checked_health(paths)
      fine = paths.is_a?(Array) && paths.all? { |path| path.start_with?("/") }
      raise ArgumentError, "Baton's health is no list of paths: #{paths.inspect}; write it as in [\"/healthz\"]" unless fine

      paths.map(&:b)
    end

    def checked_hosts(hosts)
      raise ArgumentError, "Baton's hosts are no list; name the hosts under which visitors reach Baton, as in [\"tickets.example.com\"]" unless hosts.is_a?(Array) && hosts.any?
      odd = hosts.find { |host| host.to_s.empty? || host.match?(%r{[/,]}) }
      raise ArgumentError, "Baton's host #{odd.inspect} is no host; write it as visitors' browsers send it, as in \"tickets.example.com\"" if odd

      hosts.map(&:downcase)
    end
  end
end
