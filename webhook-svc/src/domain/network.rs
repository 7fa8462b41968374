//! Which IP addresses are public: those that IANA has allocated for global use.
//!
//! The tables follow IANA's registries of special-purpose addresses. IANA has allocated only `2000::/3` of IPv6; the table has blocks outside
//! it for better messages.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const V4: [(Ipv4Addr, u32, &str); 20] = [
    (Ipv4Addr::UNSPECIFIED, 8, "an address of this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private address"),
    (
        Ipv4Addr::new(100, 64, 0, 0),
        10,
        "a carrier-grade NAT address",
    ),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "a loopback address"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "a metadata address"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local address"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private address"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "a documentation address"),
    (Ipv4Addr::new(192, 31, 196, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 52, 193, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a 6to4 address"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private address"),
    (Ipv4Addr::new(192, 175, 48, 0), 24, "a reserved address"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a benchmarking address"),
    (
        Ipv4Addr::new(198, 51, 100, 0),
        24,
        "a documentation address",
    ),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "a documentation address"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast address"),
    (Ipv4Addr::BROADCAST, 32, "a broadcast address"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved address"),
];

const V6: [(Ipv6Addr, u32, &str); 17] = [
    (Ipv6Addr::UNSPECIFIED, 128, "an unspecified address"),
    (Ipv6Addr::LOCALHOST, 128, "a loopback address"),
    (v6([0, 0, 0, 0, 0, 0xffff]), 96, "an IPv4-mapped address"),
    (Ipv6Addr::UNSPECIFIED, 96, "an IPv4-compatible address"),
    (v6([0x64, 0xff9b, 0, 0, 0, 0]), 96, "a NAT64 address"),
    (v6([0x64, 0xff9b, 1, 0, 0, 0]), 48, "a NAT64 address"),
    (v6([0x2001, 0, 0, 0, 0, 0]), 32, "a Teredo address"),
    (v6([0x2001, 2, 0, 0, 0, 0]), 48, "a benchmarking address"),
    (v6([0x2001, 0, 0, 0, 0, 0]), 23, "a reserved address"),
    (
        v6([0x2001, 0xdb8, 0, 0, 0, 0]),
        32,
        "a documentation address",
    ),
    (v6([0x3fff, 0, 0, 0, 0, 0]), 20, "a documentation address"),
    (v6([0x2002, 0, 0, 0, 0, 0]), 16, "a 6to4 address"),
    (
        v6([0x2620, 0x4f, 0x8000, 0, 0, 0]),
        48,
        "a reserved address",
    ),
    (v6([0xfc00, 0, 0, 0, 0, 0]), 7, "a unique local address"),
    (v6([0xfe80, 0, 0, 0, 0, 0]), 10, "a link-local address"),
    (v6([0xfec0, 0, 0, 0, 0, 0]), 10, "a site-local address"),
    (v6([0xff00, 0, 0, 0, 0, 0]), 8, "a multicast address"),
];

const GLOBAL_UNICAST: Ipv6Addr = v6([0x2000, 0, 0, 0, 0, 0]);

const fn v6(first: [u16; 6]) -> Ipv6Addr {
    Ipv6Addr::new(
        first[0], first[1], first[2], first[3], first[4], first[5], 0, 0,
    )
}

/// Why `address` is not public, such as `a private address`; `None`: it is public.
///
/// An IPv6 address that embeds an IPv4 address (mapped, 6to4, NAT64, Teredo) is never public, whatever it embeds: routers and kernels on the
/// way decide where its packets go.
pub fn special_purpose(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => V4
            .iter()
            .find(|(block, length, _)| {
                (address.to_bits() ^ block.to_bits()) >> (u32::BITS - length) == 0
            })
            .map(|(_, _, what)| *what),
        IpAddr::V6(address) => {
            let within = |block: Ipv6Addr, length: u32| {
                (address.to_bits() ^ block.to_bits()) >> (u128::BITS - length) == 0
            };
            let known = V6.iter().find(|(block, length, _)| within(*block, *length));
            known
                .map(|(_, _, what)| *what)
                .or_else(|| (!within(GLOBAL_UNICAST, 3)).then_some("a reserved address"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_log_says_what_an_address_is() {
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
        /// The standard library's own predicates are a second opinion, as far as they are stable.
        #[test]
        fn nothing_that_the_standard_library_knows_to_be_special_is_public(bits: u32) {
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
        fn no_ipv6_address_that_carries_an_ipv4_address_is_public(bits: u32, low: u64, subnet: u16) {
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
