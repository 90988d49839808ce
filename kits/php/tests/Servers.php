<?php

declare(strict_types=1);

namespace Baton\Kit\Tests;

use Baton\Kit\FenceGuard;
use Baton\Kit\NoLease;
use Baton\Kit\RedisStore;
use Baton\Kit\SqlStore;
use Baton\Kit\StaleFence;
use Baton\Kit\Visit;
use PDO;
use PHPUnit\Framework\TestCase;
use Redis;

/**
 * The fence guard and the replay stores on PostgreSQL, MySQL or MariaDB, and Redis.
 *
 * BATON_TEST_SERVERS says in JSON how they are reached: `{"postgresql": {"host", "port", "user", "password", "database"}, "mysql":
 * the same, "redis": {"host", "port"}}`. Needs pdo_pgsql, pdo_mysql, redis and pcntl: `phpunit tests/Servers.php`.
 */
final class Servers extends TestCase
{
    private const WAITING = [
        'pgsql' => "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
        'mysql' => "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
    ];

    public function databases(): array
    {
        return ['PostgreSQL' => ['pgsql', []], 'MySQL' => ['mysql', []], 'MySQL that counts what it found' => ['mysql', [PDO::MYSQL_ATTR_FOUND_ROWS => true]]];
    }

    private static function connect(string $driver, array $options): PDO
    {
        $server = json_decode(getenv('BATON_TEST_SERVERS'), true)[$driver === 'pgsql' ? 'postgresql' : $driver];
        $name = "$driver:host={$server['host']};port={$server['port']};dbname={$server['database']}";
        return new PDO($name, $server['user'], $server['password'], [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION] + $options);
    }

    /** A connection to a database whose tables are empty. */
    private static function shop(string $driver, array $options): PDO
    {
        $shop = self::connect($driver, $options);
        foreach (['DROP TABLE IF EXISTS baton_fences', 'DROP TABLE IF EXISTS baton_proofs', FenceGuard::SCHEMA, SqlStore::SCHEMA] as $statement) {
            $shop->exec($statement);
        }
        return $shop;
    }

    private static function visit(int $ticket, int $fence, string $room = 'onsale', int $edition = 0): Visit
    {
        return new Visit('tickets.example.com', 'https', $room, $edition, $ticket, $fence);
    }

    /** Holds in a transaction, which stays open unless the lease is stale. Whether it holds. */
    private static function hold(PDO $on, ?Visit $who, string $resource = 'seat:4-12'): bool
    {
        $on->beginTransaction();
        try {
            (new FenceGuard($on))->hold($who, $resource);
            return true;
        } catch (StaleFence) {
            $on->rollBack();
            return false;
        }
    }

    private static function held(PDO $on, Visit $who, string $resource = 'seat:4-12'): bool
    {
        return self::hold($on, $who, $resource) && $on->commit();
    }

    private static function fences(PDO $shop): array
    {
        $rows = $shop->query('SELECT ticket, fence FROM baton_fences ORDER BY ticket, fence')->fetchAll(PDO::FETCH_NUM);
        return array_map(static fn (array $row) => array_map('intval', $row), $rows);
    }

    /** Starts a process that says yes or no by `$work()`; gives what waits for its answer. It must open connections of its own. */
    private static function beside(callable $work): callable
    {
        $child = pcntl_fork();
        if ($child === 0) {
            // Ends at once: what the parent has opened is not the child's to close.
            posix_kill(posix_getpid(), $work() ? SIGUSR1 : SIGUSR2);
        }
        return static function () use ($child): bool {
            pcntl_waitpid($child, $status);
            self::assertContains(pcntl_wtermsig($status), [SIGUSR1, SIGUSR2]);
            return pcntl_wtermsig($status) === SIGUSR1;
        };
    }

    private static function untilOneWaits(string $driver): void
    {
        $watcher = self::connect($driver, []);
        for ($tries = 0; $tries < 130; $tries += 1) {
            if ((int) $watcher->query(self::WAITING[$driver])->fetchColumn() === 1) {
                return;
            }
            // InnoDB looks anew only when it was not asked for a tenth of a second.
            usleep(150_000);
        }
        self::fail('no connection waits for a lock');
    }

    /** @dataProvider databases */
    public function testALeaseMayHoldAgainANewerOneTooAnOlderOneNot(string $driver, array $options): void
    {
        $shop = self::shop($driver, $options);
        $said = array_map(static fn (int $fence) => self::held($shop, self::visit(7, $fence)), [12, 12, 11, 13, 12, 13]);
        self::assertSame([[true, true, false, true, false, true], [[7, 13]]], [$said, self::fences($shop)]);
    }

    /** @dataProvider databases */
    public function testFencesAreComparedWithinRoomEditionTicketAndResource(string $driver, array $options): void
    {
        $shop = self::shop($driver, $options);
        self::held($shop, self::visit(7, 12));
        foreach ([self::visit(8, 3), self::visit(7, 3, room: 'presale'), self::visit(7, 3, edition: 2)] as $other) {
            self::assertTrue(self::held($shop, $other));
        }
        self::assertTrue(self::held($shop, self::visit(7, 3), 'seat:4-13'));
        self::assertCount(5, self::fences($shop));
        self::hold($shop, self::visit(9, 12));
        $shop->rollBack();
        self::assertTrue(self::held($shop, self::visit(9, 11)), 'a reservation that failed leaves no fence');
        $this->expectException(NoLease::class);
        self::hold($shop, null);
    }

    /** @dataProvider databases */
    public function testOfTwoLeasesAtOnceTheSecondWaitsAndAnOlderOneIsRefused(string $driver, array $options): void
    {
        $shop = self::shop($driver, $options);
        $told = [];
        foreach ([[13, 12], [15, 14], [15, 16], [16, 16]] as [$first, $second]) {
            self::hold($shop, self::visit(7, $first));
            $later = self::beside(static fn () => self::held(self::connect($driver, $options), self::visit(7, $second)));
            self::untilOneWaits($driver);
            $shop->commit();
            $told[] = $later();
        }
        self::assertSame([[false, false, true, true], [[7, 16]]], [$told, self::fences($shop)]);
    }

    /** @dataProvider databases */
    public function testOfAProofTakenManyTimesAtOnceOneIsFirst(string $driver, array $options): void
    {
        $shop = self::shop($driver, $options);
        $take = static fn () => (new SqlStore(self::connect($driver, $options)))->take('a', 0, 5);
        $told = array_map(static fn () => self::beside($take), range(1, 6));
        self::assertCount(1, array_filter(array_map(static fn (callable $answer) => $answer(), $told)));
        self::assertTrue((new SqlStore($shop, 1))->take('b', 10, 15));
        self::assertTrue((new SqlStore($shop, 1))->take('a', 10, 15), 'it was swept when its time was over');
    }

    private static function redis(): Redis
    {
        $server = json_decode(getenv('BATON_TEST_SERVERS'), true)['redis'];
        $client = new Redis();
        $client->connect($server['host'], $server['port']);
        return $client;
    }

    public function testRedisTellsOneOfManyThatItIsFirstAndForgetsWhenTheTimeIsOver(): void
    {
        $client = self::redis();
        $client->flushAll();
        $told = array_map(static fn () => self::beside(static fn () => (new RedisStore(self::redis()))->take('a', 5_000, 65_000)), range(1, 6));
        self::assertCount(1, array_filter(array_map(static fn (callable $answer) => $answer(), $told)));
        self::assertTrue((new RedisStore($client))->take('b', 5_000, 65_000));
        $left = $client->pttl('baton:a');
        self::assertTrue($left > 50_000 && $left <= 60_000, "$left ms left");
    }
}
