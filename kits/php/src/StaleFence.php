<?php

declare(strict_types=1);

namespace Baton\Kit;

/** The visitor's lease was followed by a newer one, which holds this resource. Roll back and show the shop anew. */
final class StaleFence extends \RuntimeException
{
}
