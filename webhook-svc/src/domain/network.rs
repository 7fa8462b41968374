//! Which IP addresses are public: those that IANA has allocated for global use.
//!
//! The table follows IANA's registries of special-purpose addresses. IANA has allocated only `2000::/3` of IPv6; the table has blocks outside
//! it for better messages.

use std::net::IpAddr;
use std::sync::LazyLock;

use ipnet::IpNet;

/// Blocks that are not public, and the kind of their addresses, in words. The first block that contains an address decides.
const SPECIAL: [(&str, &str); 37] = [
    ("0.0.0.0/8", "an address of this network"),
    ("10.0.0.0/8", "a private address"),
    ("100.64.0.0/10", "a carrier-grade NAT address"),
    ("127.0.0.0/8", "a loopback address"),
    ("168.63.129.16/32", "a metadata address"),
    ("169.254.0.0/16", "a link-local address"),
    ("172.16.0.0/12", "a private address"),
    ("192.0.0.0/24", "a reserved address"),
    ("192.0.2.0/24", "a documentation address"),
    ("192.31.196.0/24", "a reserved address"),
    ("192.52.193.0/24", "a reserved address"),
    ("192.88.99.0/24", "a 6to4 address"),
    ("192.168.0.0/16", "a private address"),
    ("192.175.48.0/24", "a reserved address"),
    ("198.18.0.0/15", "a benchmarking address"),
    ("198.51.100.0/24", "a documentation address"),
    ("203.0.113.0/24", "a documentation address"),
    ("224.0.0.0/4", "a multicast address"),
    ("255.255.255.255/32", "a broadcast address"),
    ("240.0.0.0/4", "a reserved address"),
    ("::/128", "an unspecified address"),
    ("::1/128", "a loopback address"),
    ("::ffff:0:0/96", "an IPv4-mapped address"),
    ("::/96", "an IPv4-compatible address"),
    ("64:ff9b::/96", "a NAT64 address"),
    ("64:ff9b:1::/48", "a NAT64 address"),
    ("2001::/32", "a Teredo address"),
    ("2001:2::/48", "a benchmarking address"),
    ("2001::/23", "a reserved address"),
    ("2001:db8::/32", "a documentation address"),
    ("3fff::/20", "a documentation address"),
    ("2002::/16", "a 6to4 address"),
    ("2620:4f:8000::/48", "a reserved address"),
    ("fc00::/7", "a unique local address"),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a site-local address"),
    ("ff00::/8", "a multicast address"),
];

static BLOCKS: LazyLock<Vec<(IpNet, &str)>> = LazyLock::new(|| {
    let parsed = SPECIAL.map(|(block, what)| block.parse().map(|block: IpNet| (block, what)));
    parsed.into_iter().flatten().collect()
});

/// Why `address` is not public, such as `a private address`; `None`: it is public.
///
/// An IPv6 address that embeds an IPv4 address (mapped, 6to4, NAT64, Teredo) is never public: routers and kernels on the way decide where its
/// packets go.
pub fn special_purpose(address: IpAddr) -> Option<&'static str> {
    let known = BLOCKS.iter().find(|(block, _)| block.contains(&address));
    let is_allocated = match address {
        IpAddr::V4(_) => true,
        IpAddr::V6(address) => address.to_bits() >> 125 == 1,
    };
    let reserved = (!is_allocated).then_some("a reserved address");
    known.map(|(_, what)| *what).or(reserved)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_block_parses() {
        assert_eq!(BLOCKS.len(), SPECIAL.len());
    }

    #[test]
    fn an_address_is_described_by_its_block() {
        for (address, expected) in [
            ("127.0.0.2", "a loopback address"),
            ("::1", "a loopback address"),
            ("0.0.0.0", "an address of this network"),
            ("10.0.0.1", "a private address"),
            ("169.254.169.254", "a link-local address"),
            ("100.100.100.200", "a carrier-grade NAT address"),
            ("::ffff:127.0.0.1", "an IPv4-mapped address"),
            ("64:ff9b::7f00:1", "a NAT64 address"),
            ("2002:7f00:1::", "a 6to4 address"),
            ("fd00:ec2::254", "a unique local address"),
        ] {
            let what = special_purpose(address.parse().unwrap());
            assert_eq!(what, Some(expected), "{address}");
        }
    }

    proptest! {
        /// Compares the table with the stable predicates of the standard library.
        #[test]
        fn no_address_that_std_calls_special_is_public(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let special = address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_broadcast()
                || address.is_documentation()
                || address.is_multicast()
                || address.is_unspecified();
            if special {
                prop_assert!(special_purpose(address.into()).is_some(), "{address}");
            }
        }

        #[test]
        fn no_ipv6_address_that_embeds_an_ipv4_address_is_public(bits: u32, low: u64, subnet: u16) {
            let v4 = u128::from(bits);
            let carriers = [
                v4,
                0xffff << 32 | v4,
                0x0064_ff9b << 96 | v4,
                0x0064_ff9b_0001 << 80 | v4,
                0x2002 << 112 | v4 << 80 | u128::from(subnet) << 64 | u128::from(low),
                0x2001_0000 << 96 | u128::from(low) << 32 | u128::from(!bits),
            ];
            for carrier in carriers {
                let address = Ipv6Addr::from_bits(carrier);
                prop_assert!(special_purpose(address.into()).is_some(), "{address}");
            }
        }

        #[test]
        fn only_global_unicast_is_public(bits: u128) {
            let address = Ipv6Addr::from_bits(bits);
            if special_purpose(address.into()).is_none() {
                prop_assert_eq!(bits >> 125, 1, "{}", address);
            }
        }
    }
}
