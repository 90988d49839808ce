<?php

declare(strict_types=1);

namespace Baton\Kit;

use PDO;

/**
 * Keeps a late request of a visitor from undoing a newer one, in the shop's own database: PostgreSQL, SQLite.
 *
 * A fence grows with every lease. Two visitors inside have different fences and are both right, so fences are compared only
 * within one ticket and one resource, never by resource alone. The guard is one statement of the transaction that reserves.
 */
final class FenceGuard
{
    /** Creates the table, once. */
    public const SCHEMA = 'CREATE TABLE IF NOT EXISTS baton_fences (room VARCHAR(32) NOT NULL, edition BIGINT NOT NULL, ticket BIGINT NOT NULL, '
        . 'resource VARCHAR(200) NOT NULL, fence BIGINT NOT NULL, PRIMARY KEY (room, edition, ticket, resource))';
    private const STATEMENT = 'INSERT INTO baton_fences (room, edition, ticket, resource, fence) VALUES (?, ?, ?, ?, ?) '
        . 'ON CONFLICT (room, edition, ticket, resource) DO UPDATE SET fence = excluded.fence WHERE baton_fences.fence <= excluded.fence';

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
        $statement = $this->connection->prepare(self::STATEMENT);
        $statement->execute([$visit->room, $visit->edition, $visit->ticket, $resource, $visit->fence]);
        if ($statement->rowCount() !== 1) {
            throw new StaleFence("$resource: a newer lease than fence $visit->fence of ticket $visit->ticket in $visit->room holds it");
        }
    }
}
