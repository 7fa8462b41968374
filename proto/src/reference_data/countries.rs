/// A country of the directory, which covers Africa (§2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    /// Two letters, upper case (ISO 3166-1).
    pub code: &'static str,
    /// In English.
    pub name: &'static str,
}

/// All countries, by code.
pub const COUNTRIES: [Country; 54] = [
    country("AO", "Angola"),
    country("BF", "Burkina Faso"),
    country("BI", "Burundi"),
    country("BJ", "Benin"),
    country("BW", "Botswana"),
    country("CD", "DR Congo"),
    country("CF", "Central African Republic"),
    country("CG", "Republic of the Congo"),
    country("CI", "Côte d'Ivoire"),
    country("CM", "Cameroon"),
    country("CV", "Cabo Verde"),
    country("DJ", "Djibouti"),
    country("DZ", "Algeria"),
    country("EG", "Egypt"),
    country("ER", "Eritrea"),
    country("ET", "Ethiopia"),
    country("GA", "Gabon"),
    country("GH", "Ghana"),
    country("GM", "Gambia"),
    country("GN", "Guinea"),
    country("GQ", "Equatorial Guinea"),
    country("GW", "Guinea-Bissau"),
    country("KE", "Kenya"),
    country("KM", "Comoros"),
    country("LR", "Liberia"),
    country("LS", "Lesotho"),
    country("LY", "Libya"),
    country("MA", "Morocco"),
    country("MG", "Madagascar"),
    country("ML", "Mali"),
    country("MR", "Mauritania"),
    country("MU", "Mauritius"),
    country("MW", "Malawi"),
    country("MZ", "Mozambique"),
    country("NA", "Namibia"),
    country("NE", "Niger"),
    country("NG", "Nigeria"),
    country("RW", "Rwanda"),
    country("SC", "Seychelles"),
    country("SD", "Sudan"),
    country("SL", "Sierra Leone"),
    country("SN", "Senegal"),
    country("SO", "Somalia"),
    country("SS", "South Sudan"),
    country("ST", "São Tomé and Príncipe"),
    country("SZ", "Eswatini"),
    country("TD", "Chad"),
    country("TG", "Togo"),
    country("TN", "Tunisia"),
    country("TZ", "Tanzania"),
    country("UG", "Uganda"),
    country("ZA", "South Africa"),
    country("ZM", "Zambia"),
    country("ZW", "Zimbabwe"),
];

const fn country(code: &'static str, name: &'static str) -> Country {
    Country { code, name }
}
