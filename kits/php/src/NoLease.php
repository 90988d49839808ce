<?php

declare(strict_types=1);

namespace Baton\Kit;

/** The visitor holds no lease, so nothing may be reserved. Send the visitor to a gated path. */
final class NoLease extends \RuntimeException
{
}
