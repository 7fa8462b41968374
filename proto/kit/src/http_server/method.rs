//! The name of a request's method in metrics and logs.

use http::Method;

/// The method as a metric label and in log lines. Clients may invent any number of methods, of any length; these share one label.
pub fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_a_route_has_a_label_of_its_own() {
        for method in [Method::GET, Method::HEAD, Method::POST, Method::PATCH, Method::DELETE] {
            assert_eq!(method_label(&method), method.as_str());
        }
        assert_eq!(method_label(&Method::PUT), "other");
        let invented = Method::from_bytes(&[b'M'; 16_384]).unwrap();
        assert_eq!(method_label(&invented), "other");
    }
}
