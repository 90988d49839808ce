<?php

declare(strict_types=1);

namespace Baton\Kit;

use Redis;

/** Remembers in Redis, for all processes that share it. `$client` is one of the extension redis, connected. */
final class RedisStore implements Store
{
    public function __construct(private Redis $client)
    {
    }

    public function take(string $key, int $nowMs, int $untilMs): bool
    {
        return (bool) $this->client->set("baton:$key", '1', ['nx', 'px' => $untilMs - $nowMs]);
    }
}
