# A checkout of two pages on Rails, as app/controllers/buy_controller.rb (docs/stacks/rails.md).
class BuyController < ApplicationController
  rescue_from(BatonKit::StaleFence) { render plain: "This tab is out of date. Please look at your seats anew.", status: :conflict }

  def seats
    render inline: '<%= form_with(url: "/buy/") { |form| form.button "Seat 4-12", name: "seat", value: "4-12" } %>'
  end

  def reserve
    ActiveRecord::Base.transaction do
      BatonKit.hold(request.env["baton.visit"], "seat:#{params[:seat]}")
      # your own reservation, in the same transaction
    end
    redirect_to buy_done_url
  end

  def done
    BatonKit.release(response)
    render plain: "Thank you."
  end
end
