# Keeps a late request of a visitor from undoing a newer one, in the shop's own database.
#
# A fence grows with every lease. Two visitors inside have different fences and are both right, so fences are compared only
# within one ticket and one resource, never by resource alone. The guard is part of the transaction that reserves.

require_relative "databases"

module BatonKit
  # The visitor's lease was followed by a newer one, which holds this resource. Roll back and show the shop anew.
  class StaleFence < StandardError; end

  # The visitor holds no lease, so nothing may be reserved. Send the visitor to a gated path.
  class NoLease < StandardError; end

  # Refuses whoever may reserve nothing. Call it first wherever something is reserved: an action may have more addresses than its paths
  # say. `visit` is `env["baton.visit"]`.
  #
  # Raises NoLease, but in the kit's mode "report" it only logs. It lets through whom the room lets through without a lease: staff, and
  # everybody in the modes `observe` and `bypass`.
  def self.require_lease(visit, log: $stderr.method(:puts))
    # Without a right proof a request comes so far in the mode "report" alone.
    return if visit.nil? || visit.may_reserve?

    why = "the request carries no lease of Baton's: the room does not gate this path, or the visit is over"
    raise NoLease, why if visit.enforced

    log.call("baton: would refuse: #{why}")
  end

  # The guard's table, and the one conditional update of it, for PostgreSQL, SQLite, MySQL and MariaDB.
  #
  # `holds` grows with each hold: MySQL counts only rows that change, and a lease may hold twice.
  module FenceGuard
    # Creates the table, once.
    SCHEMA = "CREATE TABLE IF NOT EXISTS baton_fences (room VARCHAR(32) NOT NULL, edition BIGINT NOT NULL, ticket BIGINT NOT NULL, " \
             "resource VARCHAR(200) NOT NULL, fence BIGINT NOT NULL, holds BIGINT NOT NULL, PRIMARY KEY (room, edition, ticket, resource))".freeze
    INSERT = "INSERT INTO baton_fences (room, edition, ticket, resource, fence, holds) VALUES (?, ?, ?, ?, ?, 0) ".freeze
    HOLD = "#{INSERT}ON CONFLICT (room, edition, ticket, resource) DO UPDATE SET fence = excluded.fence, holds = baton_fences.holds + 1 " \
           "WHERE baton_fences.fence <= excluded.fence".freeze
    # MySQL's insert cannot say "only if", so it comes first and leaves a row that is there as it is, but locks it.
    MYSQL_FIRST = "#{INSERT}ON DUPLICATE KEY UPDATE holds = holds".freeze
    MYSQL_HOLD = "UPDATE baton_fences SET holds = holds + 1, fence = ? " \
                 "WHERE room = ? AND edition = ? AND ticket = ? AND resource = ? AND fence <= ?".freeze
    private_constant :INSERT, :HOLD, :MYSQL_FIRST, :MYSQL_HOLD

    # Notes that the visitor's lease touched `resource`. Call it in the transaction that reserves, before anything else; the
    # block runs a statement in it and gives the number of rows that it changed. `database` is "sqlite", "postgresql" or "mysql".
    #
    # Raises StaleFence when a newer lease of the same ticket touched it, NoLease when the visitor has none.
    def self.hold(visit, resource, database: "sqlite", &run)
      raise NoLease, "#{resource}: the request carries no lease of Baton's; reserve on a path that a room gates" unless visit&.fence && visit.ticket && visit.room
      return if held([visit.room, visit.edition, visit.ticket, resource], visit.fence, Databases.mysql?(database), &run) == 1

      raise StaleFence, "#{resource}: a newer lease than fence #{visit.fence} of ticket #{visit.ticket} in #{visit.room} holds it"
    end

    def self.held(key, fence, is_mysql)
      return yield(HOLD, [*key, fence]) unless is_mysql

      yield(MYSQL_FIRST, [*key, fence])
      yield(MYSQL_HOLD, [fence, *key, fence])
    end
    private_class_method :held
  end
end
