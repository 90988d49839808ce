//! The address that a request comes from, as limits count it: one IPv4 address, or one IPv6 network of 64 bits,
//! which is what a household or a phone has.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What limits count as one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Address {
    /// A whole IPv4 address. It may be shared by the customers of a carrier or the people of an office.
    V4(Ipv4Addr),
    /// The first 64 bits of an IPv6 address.
    V6([u8; 8]),
    /// The same of a relay that has one such network for the people of a whole city.
    City([u8; 8]),
}

/// The first bytes of the networks of which a relay has a /64 for each city: Akamai's part of iCloud Private Relay. Apple publishes all ranges as
/// 287,000 lines, 12 MB, too much for a worker and not needed: of the relay's other two parts a city has a /52 to a /45, and gets in as a /48.
const CITIES: [[u8; 4]; 1] = [[0x2a, 0x02, 0x26, 0xf7]];

impl Address {
    /// The one place where limits count everybody whose address cannot be read. No client has it.
    pub const UNREADABLE: Self = Self::V4(Ipv4Addr::UNSPECIFIED);

    /// Reads `CF-Connecting-IP`, the one header that Cloudflare sets itself and lets no client set. An IPv4-mapped IPv6 address counts as
    /// IPv4. Returns `None` if the text is no address. O(length).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let v6 = |address: Ipv6Addr| match address.to_ipv4_mapped() {
            Some(v4) => Some(Self::V4(v4)),
            None => address.octets().first_chunk().copied().map(of_network),
        };
        match text.trim().parse::<IpAddr>().ok()? {
            IpAddr::V4(address) => Some(Self::V4(address)),
            IpAddr::V6(address) => v6(address),
        }
    }
}

fn of_network(network: [u8; 8]) -> Address {
    let is_city = CITIES.iter().any(|city| network.starts_with(city));
    if is_city { Address::City(network) } else { Address::V6(network) }
}
