# The fence guard and the replay store on a real database, SQLite in a file, with several connections at once.

require "sqlite3"
require "tmpdir"
require_relative "table"

class DatabaseTest < Minitest::Test
  def setup
    @folder = Dir.mktmpdir
    @shop = connect
    @shop.execute_batch("PRAGMA journal_mode = WAL; #{BatonKit::FenceGuard::SCHEMA}; #{BatonKit::SqlStore::SCHEMA};
      CREATE TABLE seats (id TEXT PRIMARY KEY, holder INTEGER); INSERT INTO seats VALUES ('4-12', NULL), ('4-13', NULL);")
  end

  def teardown
    @opened.each(&:close)
    FileUtils.remove_entry(@folder)
  end

  def connect
    db = SQLite3::Database.new(File.join(@folder, "shop.sqlite3"))
    db.busy_timeout = 20_000
    (@opened ||= []).push(db)
    db
  end

  def run_in(db)
    ->(sql, values) { db.execute(sql, values) && db.changes }
  end

  def visit(ticket, fence, room: "onsale", edition: 0)
    BatonKit::Visit.new(room: room, edition: edition, ticket: ticket, fence: fence)
  end

  # Reserves, or gives back with `to` nil, as a shop does: guard and seat in one transaction.
  def reserve(who, seat, to: who&.ticket)
    changed = 0
    @shop.transaction(:immediate) do
      BatonKit::FenceGuard.hold(who, "seat:#{seat}", &run_in(@shop))
      changed = run_in(@shop).call("UPDATE seats SET holder = ? WHERE id = ? AND holder #{to ? "IS NULL" : "IS NOT NULL"}", [to, seat])
    end
    changed == 1
  end

  def test_an_older_lease_of_the_same_ticket_changes_nothing
    assert reserve(visit(7, 12), "4-12")
    assert_match(/seat:4-12.*fence 11 of ticket 7/, assert_raises(BatonKit::StaleFence) { reserve(visit(7, 11), "4-12", to: nil) }.message)
    assert_equal 7, @shop.get_first_value("SELECT holder FROM seats WHERE id = '4-12'")
    assert reserve(visit(7, 12), "4-12", to: nil), "the same lease may"
    assert reserve(visit(7, 13), "4-12"), "a newer one too"
  end

  def test_visitors_beside_each_other_do_not_fence_each_other_off
    # Keyed by resource alone, the smaller fence would be refused here, though its lease is as good.
    assert reserve(visit(8, 20), "4-12")
    refute reserve(visit(7, 12), "4-12"), "the seat is taken, which is the shop's to say"
    assert reserve(visit(8, 20), "4-12", to: nil)
    assert reserve(visit(7, 12), "4-12")
  end

  def test_another_room_or_edition_is_another_ticket
    assert reserve(visit(7, 12), "4-12")
    [visit(7, 11, room: "presale"), visit(7, 11, edition: 2)].each { |other| refute reserve(other, "4-12") }
  end

  def test_without_a_lease_nothing_is_reserved
    [nil, visit(7, nil), visit(nil, 12)].each { |who| assert_raises(BatonKit::NoLease) { reserve(who, "4-13", to: 1) } }
    assert_nil @shop.get_first_value("SELECT holder FROM seats WHERE id = '4-13'")
  end

  # In processes: a thread of Ruby's that waits for SQLite holds up the others.
  def test_of_leases_at_once_none_comes_after_a_newer_one
    @shop.execute("CREATE TABLE turns (id INTEGER PRIMARY KEY AUTOINCREMENT, fence INTEGER)")
    children = [5, 3, 8, 1, 9, 2, 7, 4, 6].map { |fence| fork { exit!(turn(fence)) } }
    assert children.all? { |child| Process.wait2(child).last.success? }
    held = @shop.execute("SELECT fence FROM turns ORDER BY id").flatten
    assert_equal held.sort, held
    assert_includes held, 9
  end

  # Whether a lease either held the seat, noting its turn, or was refused as stale.
  def turn(fence)
    db = connect
    db.transaction(:immediate) do
      BatonKit::FenceGuard.hold(visit(7, fence), "seat:4-12", &run_in(db))
      db.execute("INSERT INTO turns (fence) VALUES (?)", [fence])
    end
    true
  rescue BatonKit::StaleFence
    true
  end

  def test_a_proof_counts_once_for_all_processes_and_what_is_over_is_swept
    stores = Array.new(2) { BatonKit::SqlStore.new(sweep_every: 3, &run_in(connect)) }
    assert_equal [true, false, true], [stores[0].take("a", 0, 5), stores[1].take("a", 0, 5), stores[1].take("b", 0, 50)]
    stores[1].take("c", 10, 60)
    assert_equal [["b"], ["c"]], @shop.execute("SELECT proof FROM baton_proofs ORDER BY proof")
  end
end
