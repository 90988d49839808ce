<?php

declare(strict_types=1);

namespace Baton\Kit;

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
     */
    public function __construct(
        public readonly string $host,
        public readonly string $scheme,
        public readonly ?string $room = null,
        public readonly int $edition = 0,
        public readonly ?int $ticket = null,
        public readonly ?int $fence = null,
        public readonly ?int $endsAtMs = null,
    ) {
    }

    /** @internal */
    public static function of(string $host, string $room, string $fence, callable $header): self
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
        );
    }
}
