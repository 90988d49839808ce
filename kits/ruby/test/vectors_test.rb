# Every request of the shared table, by the checker alone and behind Rack.

require_relative "table"

class VectorsTest < Minitest::Test
  def by_hand(checker, one)
    verdict = verdict_of(checker, one)
    [verdict.refused ? 403 : 200, verdict.checked, verdict.visit]
  end

  def by_rack(checker, one)
    seen = nil
    shop = ->(env) { (seen = env) && [200, {}, ["the shop"]] }
    status, headers, = BatonKit::Rack.new(shop, checker: checker).call(env_of(one))
    [status, headers["baton-checked"], seen && seen["baton.visit"]]
  end

  %w[enforce report].each do |mode|
    TABLE["requests"].each do |one|
      %i[by_hand by_rack].each do |way|
        define_method("test_#{mode}_#{way}_#{one["name"]}") do
          checker = checker_of(one, mode: mode)
          one["says"].each { |word| says(send(way, checker, one), word, one, mode) }
        end
      end
    end
  end

  def says((status, checked, visit), word, one, mode)
    assert_equal word == "ok" ? "ok" : "no;#{word}", checked
    assert_equal word == "ok" || mode == "report" ? 200 : 403, status
    return assert_nil visit unless word == "ok"

    assert_equal one["visit"], visit.to_h.slice(:host, :scheme, :room, :edition, :ticket, :fence).transform_keys(&:to_s)
  end

  def test_stock
    TABLE["stock"].each do |one|
      said = BatonKit.stock({}, secret: TABLE["secret"], room: one["room"], left: one["left"], now_ms: one["at_ms"])
      assert_equal({ "baton-stock" => one["header"] }, said)
    end
  end
end
