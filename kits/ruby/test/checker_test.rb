# What the table does not say: settings that are wrong, the log, proofs without a store, what an application sees.

require_relative "table"

class CheckerTest < Minitest::Test
  def test_settings_that_are_wrong_are_named_with_their_cure
    {
      { secret: "", hosts: ["a.example"] } => /ORIGIN_SECRET/, { secret: "s", hosts: [] } => /tickets\.example\.com/,
      { secret: "s", hosts: "a.example" } => /no list/, { secret: "s", hosts: ["https://a.example"] } => %r{https://a\.example},
      { secret: "s", hosts: ["a.example"], mode: "on" } => /"report" or "enforce"/
    }.each { |settings, said| assert_match said, assert_raises(ArgumentError) { BatonKit::Checker.new(**settings) }.message }
  end

  def test_a_shop_says_only_what_baton_understands
    assert_equal({ "baton-release" => "1", "baton-extend" => "300" }, BatonKit.extend_lease(BatonKit.release({}), 300))
    [0, -1, 1.5, "300"].each { |wrong| assert_raises(ArgumentError) { BatonKit.extend_lease({}, wrong) } }
    [-1, 10_000_001, 1.5].each { |wrong| assert_raises(ArgumentError) { BatonKit.stock({}, secret: "s", room: "onsale", left: wrong) } }
  end

  def test_a_report_says_in_one_line_what_would_be_refused_and_why
    ours, said = checker(mode: "report")
    verdict_of(ours, named("a look"))
    assert_empty said
    verdict_of(ours, named("another secret").merge("url" => "/buy/%0a?card=4711"))
    assert_equal 1, said.size
    assert_match(%r{\Abaton: would refuse GET "/buy/\\n" \(mac\): .*ORIGIN_SECRET.*\z}, said.first)
    refute_match(/4711/, said.first)
  end

  def test_what_reserves_asks_for_a_lease_unless_the_room_lets_everybody_in
    inside = visit_with({ "x-forwarded-for" => "2001:db8::7, 10.0.0.1" })
    assert_equal ["2001:db8::7", true, true], [inside.address, inside.enforced, inside.may_reserve?]
    assert_nil visit_with({}).address
    free = visit_with({ "baton-ticket" => nil }, "a farewell has a room and no fence")
    [inside, free, nil].each { |fine| BatonKit.require_lease(fine) }
    ["a farewell has a room and no fence", "a path of no room"].each do |name|
      assert_raises(BatonKit::NoLease) { BatonKit.require_lease(visit_with({}, name)) }
    end
    said = []
    BatonKit.require_lease(visit_with({}, "a path of no room", mode: "report"), log: said.method(:push))
    assert_match(/would refuse/, said.join)
  end

  def visit_with(headers, name = "a look", **settings)
    ours, = checker(**settings)
    case_of = named(name)
    verdict_of(ours, case_of.merge("headers" => case_of["headers"].merge(headers))).visit
  end

  def test_a_health_check_comes_without_a_proof_by_its_own_path_alone
    ours, said = checker(health: ["/healthz"])
    ask = ->(method, path, headers = {}) { ours.check(method, path, "") { |name| headers[name] }.refused }
    assert_equal [false, false], [ask.call("GET", "/healthz"), ask.call("HEAD", "/healthz")]
    assert_empty said
    [["POST", "/healthz"], ["GET", "/healthz/"], ["GET", "//healthz"], ["GET", "/%68ealthz"]].each { |one| assert ask.call(*one), one.inspect }
    assert ask.call("GET", "/healthz", { "baton-proof" => "v1" })
    assert_raises(ArgumentError) { checker(health: "/healthz") }
  end

  def test_a_store_that_remembers_nothing_is_named_once
    dummy = Object.new
    def dummy.take(*) = true
    ours, said = checker(store: dummy)
    assert_equal %w[ok ok], Array.new(2) { verdict_of(ours, named("a look")).checked }
    assert_equal 1, said.size
    assert_match(/remembers nothing/, said.first)
  end

  def test_without_a_store_a_look_may_repeat_and_a_change_counts_once
    ours, = checker
    twice = ->(name) { Array.new(2) { verdict_of(ours, named(name)).checked } }
    assert_equal [%w[ok ok], %w[ok no;replay]], [twice.call("a look"), twice.call("a change")]
  end

  def test_a_store_that_fails_refuses_and_says_so
    broken = Object.new
    def broken.take(*) = raise("the store is away")
    ours, said = checker(store: broken)
    assert_equal "no;replay", verdict_of(ours, named("a look")).checked
    assert_match(/the store is away/, said.first)
  end

  def test_memory_forgets_what_is_over_and_refuses_when_full
    memory = BatonKit::MemoryStore.new(keys_max: 2)
    assert_equal [true, true, false], [memory.take("a", 0, 10), memory.take("b", 1, 11), memory.take("c", 2, 12)]
    assert_equal [false, true], [memory.take("b", 10, 20), memory.take("c", 10, 20)]
  end

  def test_an_application_sees_the_visitors_host_after_a_right_proof_only
    seen = []
    shop = ->(env) { seen.push(env.values_at("HTTP_HOST", "HTTP_X_FORWARDED_HOST", "rack.url_scheme")) && [200, {}, []] }
    ours, = checker(mode: "report")
    [named("a look"), named("another secret"), named("a host that is not the shop's")].each { |one| BatonKit::Rack.new(shop, checker: ours).call(env_of(one)) }
    assert_equal [%w[tickets.example.com tickets.example.com https], %w[shop.internal:8000 tickets.example.com http], ["shop.internal:8000", nil, "http"]], seen
  end

  def test_settings_of_a_block_are_asked_for_once_and_with_the_first_request
    asked = 0
    middleware = BatonKit::Rack.new(->(_) { [200, {}, []] }) { (asked += 1) && { secret: "", hosts: TABLE["hosts"] } }
    assert_equal 0, asked, "a migration makes the middleware too"
    assert_match(/Set it to Baton's ORIGIN_SECRET/, assert_raises(ArgumentError) { middleware.call(env_of(named("a look"))) }.message)
    middleware = BatonKit::Rack.new(->(_) { [200, {}, []] }) { (asked += 1) && { secret: TABLE["secret"], hosts: TABLE["hosts"], log: ->(_) {} } }
    2.times { assert_equal 200, middleware.call(env_of(named("a look"))).first }
    assert_equal 2, asked
  end

  def test_a_mount_point_is_part_of_the_path_and_the_shops_to_choose
    env = env_of(named("an encoded slash")).merge("SCRIPT_NAME" => "/buy", "PATH_INFO" => "/a%2Fb")
    { "/buy" => 200, "/buy/" => 200, "" => 403, "/b" => 403 }.each do |mount, status|
      ours, = checker(mount: mount)
      assert_equal status, BatonKit::Rack.new(->(_) { [200, {}, []] }, checker: ours).call(env.dup).first, mount
    end
  end

  def test_a_refusal_is_kept_by_no_cache_and_a_head_has_no_body
    ours, = checker
    answer = BatonKit::Rack.new(nil, checker: ours).call(env_of(named("no proof")))
    assert_equal [403, "no-store", ["Please come in by the front door. (missing)\n"]], [answer[0], answer[1]["cache-control"], answer[2]]
    assert_equal [], BatonKit::Rack.new(nil, checker: ours).call(env_of(named("no proof")).merge("REQUEST_METHOD" => "HEAD")).last
  end
end
