# Where proofs are remembered, so that each counts once.
#
# A store has one method, `take(key, now_ms, until_ms)`. It notes the key until `until_ms` and says true if the key was not there.
# Of two callers at once exactly one must be told true. With Redis that is one command:
#
#   store = Struct.new(:redis) { def take(key, now, till) = redis.set("baton:#{key}", 1, nx: true, px: till - now) }.new(redis)

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

  # Remembers in a database with `INSERT … ON CONFLICT`: PostgreSQL, SQLite. The block runs one statement apart from the shop's
  # transactions and gives the number of rows that it changed. With Rails:
  #
  #   BatonKit::SqlStore.new { |sql, values| ActiveRecord::Base.connection.update(ActiveRecord::Base.sanitize_sql_array([sql, *values])) }
  #
  # Create the table once with `SqlStore::SCHEMA`.
  class SqlStore
    SCHEMA = "CREATE TABLE IF NOT EXISTS baton_proofs (proof VARCHAR(40) PRIMARY KEY, until_ms BIGINT NOT NULL)".freeze
    # How many proofs this process takes before it removes those whose time is over.
    SWEEP_EVERY = 1_000

    def initialize(sweep_every: SWEEP_EVERY, &run)
      @run = run
      @sweep_every = sweep_every
      @taken = 0
    end

    def take(key, now_ms, until_ms)
      @taken += 1
      @run.call("DELETE FROM baton_proofs WHERE until_ms <= ?", [now_ms]) if (@taken % @sweep_every).zero?
      @run.call("INSERT INTO baton_proofs (proof, until_ms) VALUES (?, ?) ON CONFLICT (proof) DO NOTHING", [key, until_ms]) == 1
    end
  end
end
