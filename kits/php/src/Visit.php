<?php

declare(strict_types=1);

namespace Baton\Kit;

use Closure;

/** What Baton says of a visitor, after the proof was found right. */
final class Visit
{
    /**
     * @param string $host the public host that the visitor asked for, in lower case
     * @param string $scheme `http` or `https`, as the visitor came
     * @param ?string $room the room that gates the path; null: no room does
     * @param int $edition the room's edition, in which the number is unique; 0 where no room gates the path
     * @param ?int $ticket the visitor's number
     * @param ?int $fence the lease's fence; null: no lease (a farewell page, an open path, the mode `bypass`)
     * @param ?int $endsAtMs Unix ms at which the lease ends unless it slides
     * @param ?string $address the visitor's own address; null: Baton does not know it
     * @param bool $isEnforced whether the kit's mode is `enforce`. In `report` nothing is refused
     */
    public function __construct(
        public readonly string $host,
        public readonly string $scheme,
        public readonly ?string $room = null,
        public readonly int $edition = 0,
        public readonly ?int $ticket = null,
        public readonly ?int $fence = null,
        public readonly ?int $endsAtMs = null,
        public readonly ?string $address = null,
        public readonly bool $isEnforced = true,
    ) {
    }

    /** Whether the visitor holds a lease, or the room lets people in without one: its staff, and everybody in `observe` and `bypass`. */
    public function mayReserve(): bool
    {
        return $this->fence !== null || ($this->room !== null && $this->ticket === null);
    }

    /**
     * Refuses whoever may reserve nothing. Call it first wherever something is reserved: a route may have more addresses than its paths say. $visit is
     * the request's attribute `baton`.
     *
     * In the kit's mode `report` it only logs. It lets through whom the room lets through without a lease: staff, and everybody in the modes `observe`
     * and `bypass`.
     *
     * @throws NoLease
     */
    public static function requireLease(?self $visit, ?Closure $log = null): void
    {
        // Without a right proof a request comes so far in the mode `report` alone.
        if ($visit === null || $visit->mayReserve()) {
            return;
        }
        $why = "the request carries no lease of Baton's: the room does not gate this path, or the visit is over";
        if ($visit->isEnforced) {
            throw new NoLease($why);
        }
        ($log ?? static fn (string $line) => error_log($line))("baton: would refuse: $why");
    }

    /** @internal */
    public static function of(string $host, string $room, string $fence, callable $header, bool $isEnforced): self
    {
        $number = static fn (string $name) => ctype_digit((string) $header($name)) ? (int) $header($name) : null;
        return new self(
            $host,
            $header('x-forwarded-proto') === 'http' ? 'http' : 'https',
            $room === '' ? null : $room,
            $number('baton-edition') ?? 0,
            $number('baton-ticket'),
            $fence === '0' ? null : (int) $fence,
            $number('baton-ends-at-ms'),
            // Baton writes one address; a proxy behind it adds its own at the end.
            trim(explode(',', (string) $header('x-forwarded-for'), 2)[0]) ?: null,
            $isEnforced,
        );
    }
}
