//! The operator's addresses in the documentation: whom to ask, the status, the licence, and the tools.

/// The program for developers of webhook receivers, as `deploy/package` names it.
const TOOL: &str = "webhook";

/// Addresses of the operator.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// As `mailto:…` or `https://…`.
    pub contact: Option<String>,
    /// The page that says whether the service works.
    pub status: Option<String>,
    /// The licence of listings and covers.
    pub licence: Option<String>,
    /// The folder with the tools, without a slash at its end.
    pub tools: Option<String>,
}

impl Links {
    /// The text with sentences for the placeholders of these addresses.
    pub(super) fn fill(&self, text: &str) -> String {
        let contact = self.contact.as_deref().map_or_else(
            || "Ask whoever gave you the address of this site: it names no contact.".to_owned(),
            |contact| {
                let name = contact.trim_start_matches("mailto:");
                format!("Write to [{name}]({contact}).")
            },
        );
        let status = self.status.as_deref().map_or_else(
            || "There is no status page. If `GET /me` responds, the API works.".to_owned(),
            |status| {
                format!("[{status}]({status}) says whether the service works, and what is planned.")
            },
        );
        let licence = self.licence.as_deref().map_or_else(
            || "there is none besides this page and the [terms]({{site}}/terms)".to_owned(),
            |licence| format!("[{licence}]({licence})"),
        );
        let tools = self.tools.as_deref().map_or_else(
            || "[Ask us](/docs/support#whom-to-ask) for it.".to_owned(),
            |tools| {
                format!(
                    "Download it: [`{TOOL}`]({tools}/{TOOL}); [SHA256SUMS]({tools}/SHA256SUMS) has its checksum."
                )
            },
        );
        text.replace("{{contact}}", &contact)
            .replace("{{status}}", &status)
            .replace("{{licence}}", &licence)
            .replace("{{tools}}", &tools)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{{contact}}\n{{status}}\n{{licence}}\n{{tools}}\n";

    #[test]
    fn addresses_become_links_and_missing_ones_a_sentence() {
        let links = Links {
            contact: Some("mailto:help@mchezo.example".to_owned()),
            status: Some("https://status.example".to_owned()),
            licence: Some("https://mchezo.example/licence".to_owned()),
            tools: Some("https://files.example/tools".to_owned()),
        };
        let text = links.fill(TEXT);
        for part in [
            "[help@mchezo.example](mailto:help@mchezo.example)",
            "[https://status.example](https://status.example)",
            "[https://mchezo.example/licence](https://mchezo.example/licence)",
            "[`webhook`](https://files.example/tools/webhook)",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        let text = Links::default().fill(TEXT);
        assert_eq!(text.lines().count(), 4);
        let plain = text.replace("{{site}}", "");
        assert!(!plain.contains("{{"), "{plain}");
    }
}
