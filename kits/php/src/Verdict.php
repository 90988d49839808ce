<?php

declare(strict_types=1);

namespace Baton\Kit;

/** What the check found. One of `visit` and `reason` is null, and both are for a health check. */
final class Verdict
{
    /** @param bool $refused whether the request must not go on */
    public function __construct(public readonly ?Visit $visit, public readonly ?string $reason, public readonly bool $refused)
    {
    }

    /** The value of the response header `Baton-Checked`. */
    public function checked(): string
    {
        return $this->reason === null ? 'ok' : "no;$this->reason";
    }

    /** The text of the answer 403. */
    public function refusal(): string
    {
        return "Please come in by the front door. ($this->reason)\n";
    }
}
