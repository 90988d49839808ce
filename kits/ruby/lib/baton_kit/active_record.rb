# The fence guard in the shop's own database, for Rails and whatever else has ActiveRecord. Nothing here is loaded before it is called.

module BatonKit
  # Refuses a visitor whose lease was followed by a newer one that touched `resource`. Call it first in the transaction that reserves.
  # Raises StaleFence or NoLease; both roll back.
  def self.hold(visit, resource)
    adapter = ActiveRecord::Base.connection.adapter_name
    database = { "mysql2" => "mysql", "trilogy" => "mysql", "sqlite" => "sqlite" }.fetch(adapter.downcase, "postgresql")
    FenceGuard.hold(visit, resource, database: database) { |sql, values| update(sql, values) }
  end

  # Runs a statement and gives the number of rows that it changed.
  def self.update(sql, values)
    ActiveRecord::Base.connection.update(ActiveRecord::Base.sanitize_sql_array([sql, *values]))
  end
end
