<?php

declare(strict_types=1);

namespace Baton\Kit;

use PDO;

/**
 * Remembers in a database, for all processes that share it: PostgreSQL, SQLite, MySQL, MariaDB. Give it a connection apart from the shop's
 * transactions, with PDO::ERRMODE_EXCEPTION. Create the table once with `SqlStore::SCHEMA`.
 */
final class SqlStore implements Store
{
    public const SCHEMA = 'CREATE TABLE IF NOT EXISTS baton_proofs (proof VARCHAR(40) PRIMARY KEY, until_ms BIGINT NOT NULL)';

    /** @param int $sweepOneIn one request in so many removes the proofs whose time is over */
    public function __construct(private PDO $connection, private int $sweepOneIn = 1_000)
    {
    }

    public function take(string $key, int $nowMs, int $untilMs): bool
    {
        if (random_int(1, $this->sweepOneIn) === 1) {
            $this->connection->prepare('DELETE FROM baton_proofs WHERE until_ms <= ?')->execute([$nowMs]);
        }
        $insert = $this->connection->prepare($this->connection->getAttribute(PDO::ATTR_DRIVER_NAME) === 'mysql'
            ? 'INSERT IGNORE INTO baton_proofs (proof, until_ms) VALUES (?, ?)'
            : 'INSERT INTO baton_proofs (proof, until_ms) VALUES (?, ?) ON CONFLICT (proof) DO NOTHING');
        $insert->execute([$key, $untilMs]);
        return $insert->rowCount() === 1;
    }
}
