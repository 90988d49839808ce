<?php

declare(strict_types=1);

namespace Baton\Kit;

/**
 * Remembers proofs, so that each counts once. Of two callers at once exactly one must be told true.
 */
interface Store
{
    /** Notes `$key` until `$untilMs`; true if it was not there. May throw: the request is refused then. */
    public function take(string $key, int $nowMs, int $untilMs): bool;
}
