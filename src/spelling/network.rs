//! Networks: addresses that share their first bits, as people list them.

use core::net::IpAddr;

/// One address, or all that begin alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    bits: u32,
}

impl Network {
    /// Reads `203.0.113.7`, `203.0.113.0/24` or `2001:db8::/32`. IPv4-mapped IPv6 addresses are a network of IPv4. Returns `None` if the text is no network.
    /// O(length).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (first, bits) = match text.split_once('/') {
            Some((first, bits)) => (first, Some(bits.parse().ok()?)),
            None => (text, None),
        };
        let first: IpAddr = first.parse().ok()?;
        let (_, width) = bits_of(first);
        let bits = bits.unwrap_or(width);
        let mapped = first.to_canonical();
        let (_, narrower) = bits_of(mapped);
        match bits.checked_sub(width - narrower) {
            _ if bits > width => None,
            Some(bits) => Some(Self { first: mapped, bits }),
            None => Some(Self { first, bits }),
        }
    }

    /// Whether the address is one of the network's. An IPv4-mapped IPv6 address counts as IPv4. O(1).
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let ((first, width), (address, same)) = (bits_of(self.first), bits_of(address.to_canonical()));
        let differ = (first ^ address).checked_shr(width - self.bits);
        width == same && differ.unwrap_or_default() == 0
    }

    /// How many of the first bits are fixed, and of how many there are.
    #[must_use]
    pub fn bits(&self) -> (u32, u32) {
        (self.bits, bits_of(self.first).1)
    }
}

const fn bits_of(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(address) => (address.to_bits() as u128, u32::BITS),
        IpAddr::V6(address) => (address.to_bits(), u128::BITS),
    }
}
