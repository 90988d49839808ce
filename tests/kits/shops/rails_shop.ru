# The test's shop on Rails with Baton's kit. Its routes are those of tests/kits/support/story.mjs.
#
# ORIGIN_SECRET, BATON_HOSTS and BATON_MODE come from the environment, the database file from SHOP_DATABASE.

require "digest"
require "rails"
require "action_controller/railtie"
require "active_record"
require_relative "../../../kits/ruby/lib/baton_kit"

ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ENV.fetch("SHOP_DATABASE"))
ActiveRecord::Base.connection.execute(BatonKit::FenceGuard::SCHEMA)

class Shop < Rails::Application
  config.root = __dir__
  config.eager_load = false
  config.secret_key_base = "of no account, and long enough for that"
  config.session_store :cookie_store, key: "shop"
  config.logger = Logger.new(File::NULL)
  config.action_controller.allow_forgery_protection = true
  config.action_dispatch.show_exceptions = true
  config.hosts = ENV.fetch("BATON_HOSTS").split(",") + ["127.0.0.1"]
  config.middleware.insert_before 0, BatonKit::Rack, secret: ENV.fetch("ORIGIN_SECRET"), hosts: ENV.fetch("BATON_HOSTS").split(","), mode: ENV.fetch("BATON_MODE")
  routes.append do
    %w[login seat upload paid done].each { |step| post "/buy/#{step}", to: "buy##{step}", as: step }
    get "/buy/more", to: "buy#more"
    get "*any", to: "buy#front", format: false
    root to: "buy#front"
  end
end

Shop.initialize!

class BuyController < ActionController::Base
  protect_from_forgery with: :exception, except: :paid
  rescue_from(ActionController::InvalidAuthenticityToken) { head :forbidden }
  rescue_from(BatonKit::StaleFence, BatonKit::NoLease) { |error| render json: { refused: error.class.name }, status: :conflict }

  def front
    visit = request.env["baton.visit"]
    render json: { csrf: form_authenticity_token, absolute: seat_url, name: session[:name], path: request.path, visit: visit && { room: visit.room, ticket: visit.ticket, fence: visit.fence } }
  end

  def login
    session[:name] = params[:name]
    redirect_to "#{request.base_url}/buy/"
  end

  def seat
    ActiveRecord::Base.transaction do
      BatonKit.hold(request.env["baton.visit"], "seat:#{params[:seat]}")
    end
    render json: { seat: params[:seat] }
  end

  def upload
    file = params[:ticket].read
    render json: { bytes: file.bytesize, sha256: Digest::SHA256.hexdigest(file) }
  end

  def more
    BatonKit.stock(BatonKit.extend_lease(response, 60), secret: ENV.fetch("ORIGIN_SECRET"), room: "onsale", left: 1_200)
    render json: { more: true }
  end

  def paid
    redirect_to "/buy/thanks", status: :see_other
  end

  def done
    BatonKit.release(response)
    render json: { done: true }
  end
end

run Shop
