//! QR codes as SVG.

use qrcodegen::{QrCode, QrCodeEcc};

/// The modules around a QR code that must be empty.
const QUIET_ZONE: i32 = 4;

/// An SVG image of `text`, which its page describes; empty if the text is too long for a QR code.
pub fn svg(text: &str) -> String {
    let Ok(code) = QrCode::encode_text(text, QrCodeEcc::Medium) else {
        return String::new();
    };
    let size = code.size() + 2 * QUIET_ZONE;
    let modules = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    let mut path = String::new();
    for (x, y) in modules.filter(|(x, y)| code.get_module(*x, *y)) {
        let (x, y) = ((x + QUIET_ZONE).to_string(), (y + QUIET_ZONE).to_string());
        path.extend(["M", &x, ",", &y, "h1v1h-1z"]);
    }
    format!(
        "<svg class=\"qr\" aria-hidden=\"true\" viewBox=\"0 0 {size} {size}\" \
         xmlns=\"http://www.w3.org/2000/svg\"><rect width=\"{size}\" height=\"{size}\" fill=\"#fff\"/>\
         <path d=\"{path}\" fill=\"#000\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_a_module_at_each_finder_and_none_in_the_quiet_zone() {
        let image = svg("otpauth://totp/a");
        assert!(image.contains("M4,4h1v1h-1z"), "{image}");
        assert!(!image.contains("M3,"), "{image}");
        assert_eq!(svg(&"x".repeat(5_000)), "");
    }
}
