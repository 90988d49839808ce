# The shop's side of Baton, a waiting room in front of web sites. `BatonKit::Rack` lets in what came through Baton, `FenceGuard`
# keeps a late request of a visitor from undoing a newer one, `release`, `extend_lease` and `stock` speak to Baton. Only Ruby's
# own library is needed.

require_relative "baton_kit/active_record"
require_relative "baton_kit/checker"
require_relative "baton_kit/guard"
require_relative "baton_kit/headers"
require_relative "baton_kit/rack"
require_relative "baton_kit/stores"
