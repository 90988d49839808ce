# The fence guard and the replay stores on PostgreSQL, MySQL or MariaDB, and Redis.
#
# BATON_TEST_SERVERS says in JSON how they are reached: {"postgresql": {"host", "port", "user", "password", "database"}, "mysql":
# the same, "redis": {"host", "port"}}. Needs the gems pg, mysql2 and redis: `ruby test/servers.rb`.

require "json"
require "minitest/autorun"
require "mysql2"
require "pg"
require "redis"
require_relative "../lib/baton_kit"

SERVERS = JSON.parse(ENV.fetch("BATON_TEST_SERVERS"), symbolize_names: true)

# What must hold on each database. A test has `open`, `run_in(connection)`, `rows(connection, sql)`, DATABASE and WAITING.
module OnAServer
  def setup
    @opened = []
    @shop = connect
    %w[baton_fences baton_proofs].each { |table| rows(@shop, "DROP TABLE IF EXISTS #{table}") }
    [BatonKit::FenceGuard::SCHEMA, BatonKit::SqlStore::SCHEMA].each { |schema| rows(@shop, schema) }
  end

  def teardown
    @opened.each(&:close)
  end

  def connect
    @opened.push(open).last
  end

  def visit(ticket, fence, room: "onsale", edition: 0)
    BatonKit::Visit.new(room: room, edition: edition, ticket: ticket, fence: fence)
  end

  # Holds in a transaction, which stays open unless the lease is stale. Whether it holds.
  def hold(who, resource: "seat:4-12", on: @shop)
    rows(on, "BEGIN")
    BatonKit::FenceGuard.hold(who, resource, database: self.class::DATABASE, &run_in(on))
    true
  rescue BatonKit::StaleFence
    rows(on, "ROLLBACK")
    false
  end

  def held(who, resource: "seat:4-12", on: @shop)
    holds = hold(who, resource: resource, on: on)
    rows(on, "COMMIT") if holds
    holds
  end

  def fences
    rows(@shop, "SELECT ticket, fence FROM baton_fences ORDER BY ticket, fence").map { |row| row.values.map(&:to_i) }
  end

  def until_one_waits
    watcher = connect
    130.times do
      return if rows(watcher, self.class::WAITING).first.values.first.to_i == 1

      # InnoDB looks anew only when it was not asked for a tenth of a second.
      sleep 0.15
    end
    flunk "no connection waits for a lock"
  end

  def test_a_lease_may_hold_again_a_newer_one_too_an_older_one_not
    said = [12, 12, 11, 13, 12, 13].map { |fence| held(visit(7, fence)) }
    assert_equal [true, true, false, true, false, true], said
    assert_equal [[7, 13]], fences
  end

  def test_fences_are_compared_within_room_edition_ticket_and_resource
    held(visit(7, 12))
    [visit(8, 3), visit(7, 3, room: "presale"), visit(7, 3, edition: 2)].each { |other| assert held(other) }
    assert held(visit(7, 3), resource: "seat:4-13")
    assert_equal 5, fences.size
    hold(visit(9, 12))
    rows(@shop, "ROLLBACK")
    assert held(visit(9, 11)), "a reservation that failed leaves no fence"
  end

  def test_of_two_leases_at_once_the_second_waits_and_an_older_one_is_refused
    one, two = connect, connect
    told = [[13, 12], [15, 14], [15, 16], [16, 16]].map do |first, second|
      hold(visit(7, first), on: one)
      later = Thread.new { held(visit(7, second), on: two) }
      until_one_waits
      rows(one, "COMMIT")
      later.value
    end
    assert_equal [[false, false, true, true], [[7, 16]]], [told, fences]
  end

  def test_of_many_leases_at_once_none_comes_after_a_newer_one
    order = Queue.new
    [5, 3, 8, 1, 9, 2, 7, 4, 6].map { |fence| [fence, connect] }.map do |fence, on|
      Thread.new do
        next unless hold(visit(7, fence), on: on)

        order.push(fence)
        rows(on, "COMMIT")
      end
    end.each(&:join)
    held = Array.new(order.size) { order.pop }
    assert_equal [held.sort, 9, [[7, 9]]], [held, held.last, fences]
  end

  def test_of_a_proof_taken_many_times_at_once_one_is_first
    stores = Array.new(8) { BatonKit::SqlStore.new(database: self.class::DATABASE, sweep_every: 2, &run_in(connect)) }
    told = stores.map { |store| Thread.new { store.take("a", 0, 5) } }.map(&:value)
    assert_equal 1, told.count(true)
    assert stores[0].take("b", 10, 15), "another"
    assert stores[1].take("a", 10, 15), "it was swept when its time was over"
  end
end

class OnPostgres < Minitest::Test
  include OnAServer
  DATABASE = "postgresql".freeze
  WAITING = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'".freeze

  def open
    server = SERVERS[:postgresql]
    connection = PG.connect(host: server[:host], port: server[:port], user: server[:user], password: server[:password], dbname: server[:database])
    connection.set_notice_processor { |_| nil }
    connection
  end

  def rows(connection, sql) = connection.exec(sql).to_a

  # The driver marks values by number.
  def run_in(connection)
    lambda do |sql, values|
      at = 0
      connection.exec_params(sql.gsub("?") { "$#{at += 1}" }, values).cmd_tuples
    end
  end
end

class OnMySql < Minitest::Test
  include OnAServer
  DATABASE = "mysql".freeze
  WAITING = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'".freeze

  def open
    server = SERVERS[:mysql]
    Mysql2::Client.new(**server.slice(:host, :port, :database, :password), username: server[:user], flags: flags)
  end

  def flags = 0

  def rows(connection, sql) = connection.query(sql).to_a

  def run_in(connection) = ->(sql, values) { connection.prepare(sql).tap { |statement| statement.execute(*values) }.affected_rows }
end

# With the flag that makes it count rows that it found, though it did not change them.
class OnMySqlAsActiveRecordAsksIt < OnMySql
  def flags = Mysql2::Client::FOUND_ROWS
end

class OnRedis < Minitest::Test
  def test_of_a_proof_taken_many_times_at_once_one_is_first_and_it_is_forgotten_when_its_time_is_over
    client = Redis.new(**SERVERS[:redis])
    client.flushall
    told = Array.new(8) { Thread.new { BatonKit::RedisStore.new(Redis.new(**SERVERS[:redis])).take("a", 5_000, 65_000) } }.map(&:value)
    assert_equal 1, told.count(true)
    assert BatonKit::RedisStore.new(client).take("b", 5_000, 65_000)
    assert_includes 50_000..60_000, client.pttl("baton:a")
  end
end
