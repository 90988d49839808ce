<?php

declare(strict_types=1);

namespace Baton\Kit;

use PDO;

/**
 * Keeps a late request of a visitor from undoing a newer one, in the shop's own database: PostgreSQL, SQLite, MySQL, MariaDB.
 *
 * A fence grows with every lease. Two visitors inside have different fences and are both right, so fences are compared only
 * within one ticket and one resource, never by resource alone. The guard is part of the transaction that reserves.
 */
final class FenceGuard
{
    /** Creates the table, once. `holds` grows with each hold: MySQL counts only rows that change, and a lease may hold twice. */
    public const SCHEMA = 'CREATE TABLE IF NOT EXISTS baton_fences (room VARCHAR(32) NOT NULL, edition BIGINT NOT NULL, ticket BIGINT NOT NULL, '
        . 'resource VARCHAR(200) NOT NULL, fence BIGINT NOT NULL, holds BIGINT NOT NULL, PRIMARY KEY (room, edition, ticket, resource))';
    private const INSERT = 'INSERT INTO baton_fences (room, edition, ticket, resource, fence, holds) VALUES (?, ?, ?, ?, ?, 0) ';
    private const HOLD = self::INSERT . 'ON CONFLICT (room, edition, ticket, resource) '
        . 'DO UPDATE SET fence = excluded.fence, holds = baton_fences.holds + 1 WHERE baton_fences.fence <= excluded.fence';
    /** MySQL's insert cannot say "only if", so it comes first and leaves a row that is there as it is, but locks it. */
    private const MYSQL_FIRST = self::INSERT . 'ON DUPLICATE KEY UPDATE holds = holds';
    private const MYSQL_HOLD = 'UPDATE baton_fences SET holds = holds + 1, fence = ? '
        . 'WHERE room = ? AND edition = ? AND ticket = ? AND resource = ? AND fence <= ?';

    /** @param PDO $connection the one on which the shop's transaction runs, with PDO::ERRMODE_EXCEPTION */
    public function __construct(private PDO $connection)
    {
    }

    /**
     * Notes that the visitor's lease touched `$resource`. Call it in the transaction that reserves, before anything else.
     *
     * @throws StaleFence when a newer lease of the same ticket touched it
     * @throws NoLease when the visitor has none
     */
    public function hold(?Visit $visit, string $resource): void
    {
        if ($visit?->fence === null || $visit->ticket === null || $visit->room === null) {
            throw new NoLease("$resource: the request carries no lease of Baton's; reserve on a path that a room gates");
        }
        if ($this->held([$visit->room, $visit->edition, $visit->ticket, $resource], $visit->fence) !== 1) {
            throw new StaleFence("$resource: a newer lease than fence $visit->fence of ticket $visit->ticket in $visit->room holds it");
        }
    }

    /** The number of rows that the conditional update changed. */
    private function held(array $key, int $fence): int
    {
        if ($this->connection->getAttribute(PDO::ATTR_DRIVER_NAME) !== 'mysql') {
            return $this->run(self::HOLD, [...$key, $fence]);
        }
        $this->run(self::MYSQL_FIRST, [...$key, $fence]);
        return $this->run(self::MYSQL_HOLD, [$fence, ...$key, $fence]);
    }

    private function run(string $sql, array $values): int
    {
        $statement = $this->connection->prepare($sql);
        $statement->execute($values);
        return $statement->rowCount();
    }
}
