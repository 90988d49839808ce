# Where proofs are remembered, so that each counts once.
#
# A store has one method, `take(key, now_ms, until_ms)`. It notes the key until `until_ms` and says true if the key was not there.
# Of two callers at once exactly one must be told true.

require_relative "databases"

module BatonKit
  # Remembers in this process alone. Safe for threads.
  class MemoryStore
    # About 800 a second for the two minutes that a proof can matter. Beyond that requests are refused.
    KEYS_MAX = 100_000

    def initialize(keys_max: KEYS_MAX)
      @keys_max = keys_max
      @until = {} # in the order of time
      @lock = Mutex.new
    end

    def take(key, now_ms, until_ms)
      @lock.synchronize do
        @until.shift while @until.any? && @until.first.last <= now_ms
        next false if @until.key?(key) || @until.size >= @keys_max

        @until[key] = until_ms
        true
      end
    end
  end

  # Remembers in Redis, for all processes that share it. `client` is one of the gem redis: `Redis.new`.
  class RedisStore
    def initialize(client)
      @client = client
    end

    def take(key, now_ms, until_ms) = @client.set("baton:#{key}", 1, nx: true, px: until_ms - now_ms)
  end

  # Remembers in a database, for all processes that share it. `database` is "sqlite", "postgresql" or "mysql" (MariaDB too). The
  # block runs one statement apart from the shop's transactions and gives the number of rows that it changed. With Rails:
  #
  #   BatonKit::SqlStore.new(database: "mysql") { |sql, values| BatonKit.update(sql, values) }
  #
  # Create the table once with `SqlStore::SCHEMA`.
  class SqlStore
    SCHEMA = "CREATE TABLE IF NOT EXISTS baton_proofs (proof VARCHAR(40) PRIMARY KEY, until_ms BIGINT NOT NULL)".freeze
    # How many proofs this process takes before it removes those whose time is over.
    SWEEP_EVERY = 1_000

    def initialize(database: "sqlite", sweep_every: SWEEP_EVERY, &run)
      insert, unless_there = Databases.mysql?(database) ? ["INSERT IGNORE", ""] : ["INSERT", " ON CONFLICT (proof) DO NOTHING"]
      @insert = "#{insert} INTO baton_proofs (proof, until_ms) VALUES (?, ?)#{unless_there}"
      @run = run
      @sweep_every = sweep_every
      @taken = 0
    end

    def take(key, now_ms, until_ms)
      @taken += 1
      @run.call("DELETE FROM baton_proofs WHERE until_ms <= ?", [now_ms]) if (@taken % @sweep_every).zero?
      @run.call(@insert, [key, until_ms]) == 1
    end
  end
end
