# Perl's LWP: asks what each line of the input says, `METHOD URL`. The first argument is `alone` or `kept` (with what keeps the place).

use strict;
use warnings;
use HTTP::Request;
use LWP::UserAgent;

$| = 1;
my $client = LWP::UserAgent->new(shift @ARGV eq 'kept' ? (cookie_jar => {}) : ());
while (my $line = <STDIN>) {
    my ($method, $url) = split ' ', $line;
    print $client->request(HTTP::Request->new($method, $url))->code, "\n";
}
