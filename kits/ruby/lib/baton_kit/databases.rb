# What differs between databases: what a row that is there already makes of an insert.
#
# `database` is `"sqlite"`, `"postgresql"` or `"mysql"`, which MariaDB is too. Any other name is refused.

module BatonKit
  module Databases
    NAMES = %w[sqlite postgresql mysql].freeze

    # Whether `database` takes MySQL's statements; SQLite and PostgreSQL take `INSERT … ON CONFLICT`.
    def self.mysql?(database)
      raise ArgumentError, "the database #{database.inspect} is none of #{NAMES.join(", ")}; name one of them" unless NAMES.include?(database)

      database == "mysql"
    end
  end
end
