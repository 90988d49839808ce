# Keeps a late request of a visitor from undoing a newer one, in the shop's own database.
#
# A fence grows with every lease. Two visitors inside have different fences and are both right, so fences are compared only
# within one ticket and one resource, never by resource alone. The guard is one statement of the transaction that reserves.

module BatonKit
  # The visitor's lease was followed by a newer one, which holds this resource. Roll back and show the shop anew.
  class StaleFence < StandardError; end

  # The visitor holds no lease, so nothing may be reserved. Send the visitor to a gated path.
  class NoLease < StandardError; end

  # The guard's table and its one statement, for databases with `INSERT … ON CONFLICT`: PostgreSQL, SQLite.
  module FenceGuard
    # Creates the table, once.
    SCHEMA = "CREATE TABLE IF NOT EXISTS baton_fences (room VARCHAR(32) NOT NULL, edition BIGINT NOT NULL, ticket BIGINT NOT NULL, " \
             "resource VARCHAR(200) NOT NULL, fence BIGINT NOT NULL, PRIMARY KEY (room, edition, ticket, resource))".freeze
    STATEMENT = "INSERT INTO baton_fences (room, edition, ticket, resource, fence) VALUES (?, ?, ?, ?, ?) " \
                "ON CONFLICT (room, edition, ticket, resource) DO UPDATE SET fence = excluded.fence " \
                "WHERE baton_fences.fence <= excluded.fence".freeze
    private_constant :STATEMENT

    # Notes that the visitor's lease touched `resource`. Call it in the transaction that reserves, before anything else; the
    # block runs a statement in it and gives the number of rows that it changed.
    #
    # Raises StaleFence when a newer lease of the same ticket touched it, NoLease when the visitor has none.
    def self.hold(visit, resource)
      raise NoLease, "#{resource}: the request carries no lease of Baton's; reserve on a path that a room gates" unless visit&.fence && visit.ticket && visit.room
      return if yield(STATEMENT, [visit.room, visit.edition, visit.ticket, resource, visit.fence]) == 1

      raise StaleFence, "#{resource}: a newer lease than fence #{visit.fence} of ticket #{visit.ticket} in #{visit.room} holds it"
    end
  end
end
