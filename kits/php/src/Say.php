<?php

declare(strict_types=1);

namespace Baton\Kit;

use InvalidArgumentException;

/**
 * What a shop says to Baton: response headers, each as a pair of name and value. Baton takes them off the answer.
 *
 *     return $response->withHeader(...Say::release());           // PSR-7
 *     return $response->header(...Say::release());               // Laravel
 */
final class Say
{
    /** The most seats that Baton counts. */
    public const LEFT_MAX = 10_000_000;

    /** The visitor is done: the lease ends and the next in line is called. */
    public static function release(): array
    {
        return ['Baton-Release', '1'];
    }

    /** The visitor needs `$seconds` more before the hard end, for a slow payment. Baton's `lease_extend_max_s` bounds it. */
    public static function extend(int $seconds): array
    {
        if ($seconds < 1) {
            throw new InvalidArgumentException("extend: $seconds is no number of seconds; give a whole number of 1 or more");
        }
        return ['Baton-Extend', (string) $seconds];
    }

    /** The shop has `$left` seats. Signed with `$secret`, which is ORIGIN_SECRET, for it concerns everybody in line. */
    public static function stock(string $secret, string $room, int $left, ?int $nowMs = null): array
    {
        if ($left < 0 || $left > self::LEFT_MAX) {
            throw new InvalidArgumentException("stock: $left is no number of seats; give a whole number from 0 to " . self::LEFT_MAX);
        }
        $t = $nowMs ?? (int) floor(microtime(true) * 1000);
        $mac = hash_hmac('sha256', "baton-stock-v1\n$t\n$room\n$left", $secret);
        return ['Baton-Stock', "v1;left=$left;t=$t;mac=$mac"];
    }
}
