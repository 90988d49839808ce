<?php

declare(strict_types=1);

namespace Baton\Kit\Tests;

use Baton\Kit\Checker;
use Baton\Kit\FenceGuard;
use Baton\Kit\Laravel;
use Baton\Kit\NoLease;
use Baton\Kit\Say;
use Baton\Kit\SqlStore;
use Baton\Kit\StaleFence;
use Baton\Kit\Store;
use Baton\Kit\ThroughBaton;
use Baton\Kit\Visit;
use GuzzleHttp\Psr7\HttpFactory;
use GuzzleHttp\Psr7\ServerRequest;
use InvalidArgumentException;
use PDO;
use PHPUnit\Framework\TestCase;
use Psr\Http\Server\RequestHandlerInterface;
use RuntimeException;
use Symfony\Component\HttpFoundation;

require_once __DIR__ . '/Table.php';

/** What the table does not say: settings that are wrong, the log, and the guard and the store on a real database. */
final class CheckerTest extends TestCase
{
    private string $file;

    protected function setUp(): void
    {
        $this->file = tempnam(sys_get_temp_dir(), 'baton-kit-');
        $this->connect()->exec(FenceGuard::SCHEMA . ';' . SqlStore::SCHEMA . ";CREATE TABLE seats (id TEXT PRIMARY KEY, holder INTEGER); INSERT INTO seats VALUES ('4-12', NULL), ('4-13', NULL)");
    }

    protected function tearDown(): void
    {
        unlink($this->file);
    }

    private function connect(): PDO
    {
        return new PDO("sqlite:$this->file", options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 20]);
    }

    private static function visit(?int $ticket, ?int $fence, string $room = 'onsale', int $edition = 0): Visit
    {
        return new Visit('tickets.example.com', 'https', $room, $edition, $ticket, $fence);
    }

    /** Reserves, or gives back, as a shop does: guard and seat in one transaction. */
    private function reserve(?Visit $who, string $seat, bool $give = false): bool
    {
        $shop = $this->connect();
        $shop->beginTransaction();
        (new FenceGuard($shop))->hold($who, "seat:$seat");
        $update = $shop->prepare('UPDATE seats SET holder = ? WHERE id = ? AND holder ' . ($give ? 'IS NOT NULL' : 'IS NULL'));
        $update->execute([$give ? null : $who->ticket, $seat]);
        $shop->commit();
        return $update->rowCount() === 1;
    }

    public function wrong(): array
    {
        return [
            [['', ['a.example']], 'ORIGIN_SECRET'], [['s', []], 'tickets.example.com'],
            [['s', ['https://a.example']], 'https://a.example'], [['s', ['a.example'], 'on'], "'report' or 'enforce'"],
        ];
    }

    /** @dataProvider wrong */
    public function testSettingsThatAreWrongAreNamedWithTheirCure(array $settings, string $said): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage($said);
        new Checker(...$settings);
    }

    public function testAShopSaysOnlyWhatBatonUnderstands(): void
    {
        self::assertSame([['Baton-Release', '1'], ['Baton-Extend', '300']], [Say::release(), Say::extend(300)]);
        foreach ([static fn () => Say::extend(0), static fn () => Say::stock('s', 'onsale', -1), static fn () => Say::stock('s', 'onsale', 10_000_001)] as $wrong) {
            try {
                $wrong();
                self::fail('it was said');
            } catch (InvalidArgumentException $error) {
                self::assertStringContainsString('give a whole number', $error->getMessage());
            }
        }
    }

    public function testAReportSaysInOneLineWhatWouldBeRefusedAndWhy(): void
    {
        $checker = Table::checker(mode: 'report');
        foreach (['a look', 'another secret'] as $name) {
            $case = Table::named($name);
            $checker->check($case['method'], $name === 'a look' ? '/buy/' : '/buy/%0a', '', static fn ($header) => $case['headers'][$header] ?? null);
        }
        self::assertCount(1, Table::$said);
        self::assertMatchesRegularExpression('~\Abaton: would refuse GET "/buy/\\\\n" \(mac\): .*ORIGIN_SECRET.*\z~', Table::$said[0]);
    }

    private static function visitWith(array $headers, string $name = 'a look', string $mode = 'enforce'): ?Visit
    {
        $case = Table::named($name);
        $shown = [...$case['headers'], ...$headers];
        [$path, $query] = Table::target($case);
        return Table::checker(mode: $mode)->check($case['method'], $path, $query, static fn ($header) => $shown[$header] ?? null)->visit;
    }

    public function testWhatReservesAsksForALeaseUnlessTheRoomLetsEverybodyIn(): void
    {
        $inside = self::visitWith(['x-forwarded-for' => '2001:db8::7, 10.0.0.1']);
        self::assertSame(['2001:db8::7', true, true], [$inside->address, $inside->isEnforced, $inside->mayReserve()]);
        self::assertNull(self::visitWith([])->address);
        $free = self::visitWith(['baton-ticket' => null], 'a farewell has a room and no fence');
        foreach ([$inside, $free, null] as $fine) {
            Visit::requireLease($fine);
        }
        foreach (['a farewell has a room and no fence', 'a path of no room'] as $name) {
            try {
                Visit::requireLease(self::visitWith([], $name));
                self::fail($name);
            } catch (NoLease $error) {
                self::assertStringContainsString('no lease', $error->getMessage());
            }
        }
        $said = [];
        Visit::requireLease(self::visitWith([], 'a path of no room', 'report'), static function (string $line) use (&$said): void {
            $said[] = $line;
        });
        self::assertStringContainsString('would refuse', implode($said));
    }

    public function testAHealthCheckComesWithoutAProofByItsOwnPathAlone(): void
    {
        $checker = Table::checker(health: ['/healthz']);
        $refused = static fn (string $method, string $path, array $headers = []) => $checker->check($method, $path, '', static fn ($name) => $headers[$name] ?? null)->refused;
        self::assertSame([false, false], [$refused('GET', '/healthz'), $refused('HEAD', '/healthz')]);
        self::assertSame([], Table::$said);
        foreach ([['POST', '/healthz'], ['GET', '/healthz/'], ['GET', '//healthz'], ['GET', '/%68ealthz']] as [$method, $path]) {
            self::assertTrue($refused($method, $path), "$method $path");
        }
        self::assertTrue($refused('GET', '/healthz', ['baton-proof' => 'v1']));
        $this->expectException(InvalidArgumentException::class);
        Table::checker(health: ['healthz']);
    }

    public function testAStoreThatRemembersNothingIsNamedNowAndThen(): void
    {
        $dummy = new class () implements Store {
            public function take(string $key, int $nowMs, int $untilMs): bool
            {
                return true;
            }
        };
        $case = Table::named('a look');
        $thousand = intdiv(Table::all()['now_ms'], 1_000) * 1_000;
        $said = static function (Store $store, int $nowMs) use ($case): array {
            $checked = Table::checker(store: $store, nowMs: static fn () => $nowMs)->check('GET', '/buy/', '', static fn ($name) => $case['headers'][$name] ?? null);
            self::assertSame('ok', $checked->checked());
            return Table::$said;
        };
        self::assertSame([[], []], [$said($dummy, $thousand + 1), $said(Table::store(), $thousand)]);
        self::assertStringContainsString('remembers nothing', $said($dummy, $thousand)[0]);
    }

    public function testAStoreThatFailsRefusesAndSaysSo(): void
    {
        $store = new class () implements Store {
            public function take(string $key, int $nowMs, int $untilMs): bool
            {
                throw new RuntimeException('the store is away');
            }
        };
        $case = Table::named('a look');
        self::assertSame('no;replay', Table::checker(store: $store)->check('GET', '/buy/', '', static fn ($name) => $case['headers'][$name] ?? null)->checked());
        self::assertStringContainsString('the store is away', Table::$said[0]);
    }

    public function testAMountPointIsTheShopsToChoose(): void
    {
        $case = Table::named('an encoded slash');
        [$path, $query] = Table::target($case);
        foreach (['' => 'no;target', '/buy' => 'ok', '/b' => 'no;target'] as $mount => $checked) {
            $verdict = Table::checker(mount: $mount)->check('GET', $path, $query, static fn ($name) => $case['headers'][$name] ?? null, '/buy');
            self::assertSame($checked, $verdict->checked(), $mount);
        }
    }

    public function testLaravelReadsNoPathBehindItsFrontControllersName(): void
    {
        $case = Table::named('a path behind the front controller');
        $server = ['REQUEST_METHOD' => 'GET', 'REQUEST_URI' => $case['url'], 'SCRIPT_NAME' => '/index.php', 'SCRIPT_FILENAME' => '/shop/public/index.php'];
        foreach ($case['headers'] as $name => $value) {
            $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
        }
        foreach (['' => 403, '/index.php' => 200] as $mount => $status) {
            $request = new HttpFoundation\Request([], [], [], [], [], $server);
            $answer = (new Laravel\ThroughBaton(Table::checker(mount: $mount)))->handle($request, static fn () => new HttpFoundation\Response('the shop'));
            self::assertSame($status, $answer->getStatusCode(), $mount);
        }
    }

    public function testARefusalIsKeptByNoCacheAndAHeadHasNoBody(): void
    {
        $middleware = new ThroughBaton(Table::checker(), new HttpFactory());
        $nobody = $this->createMock(RequestHandlerInterface::class);
        $nobody->expects(self::never())->method('handle');
        $answer = $middleware->process(new ServerRequest('GET', '/buy/'), $nobody);
        self::assertSame([403, 'no-store', "Please come in by the front door. (missing)\n"], [$answer->getStatusCode(), $answer->getHeaderLine('Cache-Control'), (string) $answer->getBody()]);
        self::assertSame('', (string) $middleware->process(new ServerRequest('HEAD', '/buy/'), $nobody)->getBody());
    }

    public function testAnOlderLeaseOfTheSameTicketChangesNothing(): void
    {
        self::assertTrue($this->reserve(self::visit(7, 12), '4-12'));
        try {
            $this->reserve(self::visit(7, 11), '4-12', give: true);
            self::fail('the older lease gave the seat back');
        } catch (StaleFence $stale) {
            self::assertMatchesRegularExpression('/seat:4-12.*fence 11 of ticket 7/', $stale->getMessage());
        }
        self::assertSame(7, (int) $this->connect()->query("SELECT holder FROM seats WHERE id = '4-12'")->fetchColumn());
        self::assertTrue($this->reserve(self::visit(7, 12), '4-12', give: true), 'the same lease may');
        self::assertTrue($this->reserve(self::visit(7, 13), '4-12'), 'a newer one too');
    }

    public function testVisitorsBesideEachOtherDoNotFenceEachOtherOff(): void
    {
        // Keyed by resource alone, the smaller fence would be refused here, though its lease is as good.
        self::assertTrue($this->reserve(self::visit(8, 20), '4-12'));
        self::assertFalse($this->reserve(self::visit(7, 12), '4-12'), "the seat is taken, which is the shop's to say");
        self::assertTrue($this->reserve(self::visit(8, 20), '4-12', give: true));
        self::assertTrue($this->reserve(self::visit(7, 12), '4-12'));
    }

    public function testAnotherRoomOrEditionIsAnotherTicket(): void
    {
        self::assertTrue($this->reserve(self::visit(7, 12), '4-12'));
        foreach ([self::visit(7, 11, room: 'presale'), self::visit(7, 11, edition: 2)] as $other) {
            self::assertFalse($this->reserve($other, '4-12'));
        }
    }

    public function testWithoutALeaseNothingIsReserved(): void
    {
        foreach ([null, self::visit(7, null), self::visit(null, 12)] as $who) {
            try {
                $this->reserve($who, '4-13');
                self::fail('it was reserved');
            } catch (NoLease $none) {
                self::assertStringContainsString('seat:4-13', $none->getMessage());
            }
        }
        self::assertNull($this->connect()->query("SELECT holder FROM seats WHERE id = '4-13'")->fetchColumn());
    }

    public function testAProofCountsOnceForAllProcessesAndWhatIsOverIsSwept(): void
    {
        $stores = [new SqlStore($this->connect(), 1), new SqlStore($this->connect(), 1)];
        self::assertSame([true, false, true], [$stores[0]->take('a', 0, 5), $stores[1]->take('a', 0, 5), $stores[1]->take('b', 0, 50)]);
        $stores[1]->take('c', 10, 60);
        self::assertSame(['b', 'c'], $this->connect()->query('SELECT proof FROM baton_proofs ORDER BY proof')->fetchAll(PDO::FETCH_COLUMN));
    }
}
