<?php

declare(strict_types=1);

namespace Baton\Kit\Tests;

use Baton\Kit\Checker;
use Baton\Kit\Store;

/** The shared table of test vectors, and checkers whose clock is the table's. */
final class Table
{
    /** What the last checker logged. @var list<string> */
    public static array $said = [];

    public static function all(): array
    {
        static $table;
        return $table ??= json_decode(file_get_contents(__DIR__ . '/../../vectors.json'), true, 16, JSON_THROW_ON_ERROR);
    }

    public static function named(string $name): array
    {
        return array_column(self::all()['requests'], null, 'name')[$name];
    }

    public static function checker(mixed ...$settings): Checker
    {
        self::$said = [];
        $table = self::all();
        $usual = ['secret' => $table['secret'], 'hosts' => $table['hosts'], 'mode' => 'enforce', 'nowMs' => static fn () => $table['now_ms'], 'log' => static function (string $line): void {
            self::$said[] = $line;
        }];
        return new Checker(...[...$usual, ...$settings]);
    }

    /** A checker with a store and the settings of a case. */
    public static function checkerOf(array $case, string $mode): Checker
    {
        return self::checker(mode: $mode, rooms: $case['rooms'] ?? [], store: self::store(), answersPreflights: $case['answers_preflights'] ?? false);
    }

    public static function store(): Store
    {
        return new class () implements Store {
            private array $taken = [];

            public function take(string $key, int $nowMs, int $untilMs): bool
            {
                $isNew = !isset($this->taken[$key]);
                $this->taken[$key] = $untilMs;
                return $isNew;
            }
        };
    }

    /** Path and query of a case. @return array{string, string} */
    public static function target(array $case): array
    {
        return explode('?', $case['url'], 2) + [1 => ''];
    }
}
