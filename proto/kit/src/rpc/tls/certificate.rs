//! The fields of a certificate that rustls does not return.

use anyhow::anyhow;
use rustls::pki_types::CertificateDer;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;

/// The DNS names of a certificate.
pub(super) fn dns_names(certificate: &CertificateDer<'_>) -> anyhow::Result<Vec<String>> {
    let certificate = parse(certificate)?;
    let names = certificate.subject_alternative_name()?;
    let names = names.iter().flat_map(|names| &names.value.general_names);
    let dns_name = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        _ => None,
    };
    Ok(names.filter_map(dns_name).collect())
}

/// When a certificate expires, in seconds since 1970.
pub(super) fn expires(certificate: &CertificateDer<'_>) -> anyhow::Result<i64> {
    Ok(parse(certificate)?.validity().not_after.timestamp())
}

fn parse<'a>(certificate: &'a CertificateDer<'_>) -> anyhow::Result<X509Certificate<'a>> {
    let (_, certificate) = x509_parser::parse_x509_certificate(certificate)
        .map_err(|error| anyhow!("cannot parse a certificate: {error}"))?;
    Ok(certificate)
}
