# What differs between databases: what a row that is there already makes of an insert.

module BatonKit
  module Databases
    NAMES = %w[sqlite postgresql mysql].freeze

    # Whether `database` is asked as MySQL is, and not as the others, which have `INSERT … ON CONFLICT`.
    def self.mysql?(database)
      raise ArgumentError, "the database #{database.inspect} is none of #{NAMES.join(", ")}; name one of them" unless NAMES.include?(database)

      database == "mysql"
    end
  end
end
