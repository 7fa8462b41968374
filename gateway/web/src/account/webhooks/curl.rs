//! The command for a POSIX shell that sends a webhook again.

use crate::domain::shell_word::quoted;

/// A delivery that its owner can repeat.
#[derive(Debug, Clone, Copy)]
pub struct Webhook<'a> {
    pub url: &'a str,
    pub event: &'a str,
    /// The id of the message.
    pub id: &'a str,
    pub body: &'a str,
}

/// A command that sends a delivery again, with the present time. It signs with the secret in `$SERVICE_WEBHOOK_SECRET`, which the
/// dashboard does not have.
pub fn signed(webhook: Webhook<'_>) -> String {
    let Webhook { url, event, id, body } = webhook;
    let (url, body) = (quoted(url), quoted(body));
    let event = quoted(&format!("x-service-event: {event}"));
    let id = quoted(&format!("x-service-delivery: {id}"));
    [
        format!("body={body}"),
        "time=$(date +%s)".to_owned(),
        "signature=$(printf '%s.%s' \"$time\" \"$body\" | openssl dgst -sha256 -r -hmac \"$SERVICE_WEBHOOK_SECRET\" | cut -d ' ' -f 1)"
            .to_owned(),
        format!("curl -i {url} -H 'content-type: application/json' \\"),
        format!("  -H {event} -H {id} \\"),
        "  -H \"x-service-timestamp: $time\" -H \"x-service-signature: $signature\" \\".to_owned(),
        "  --data-binary \"$body\"".to_owned(),
    ]
    .join("\n")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const BODY: &str = "{\"id\":\"1\",\"name\":\"Ada's $HOME `x` \\n ✓\"}";

    /// Runs a command in a shell in which `curl` prints its arguments, one per line.
    fn arguments(command: &str) -> Vec<String> {
        let script = format!("curl() {{ printf '%s\\n' \"$@\"; }}\n{command}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).env("SERVICE_WEBHOOK_SECRET", "svc_whsec_test");
        let output = shell.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(ToOwned::to_owned).collect()
    }

    #[test]
    fn no_text_escapes_its_quotes() {
        let url = "https://hooks.example/a'; rm -rf /; '$(x)";
        let webhook = Webhook { url, event: "ping", id: "7", body: BODY };
        let arguments = arguments(&signed(webhook));
        assert_eq!(arguments[1], url);
        assert_eq!(arguments.last().unwrap(), BODY);
        assert!(arguments.contains(&"x-service-event: ping".to_owned()));
        assert!(arguments.contains(&"x-service-delivery: 7".to_owned()));
    }

    #[test]
    fn the_command_signs_with_the_secret_of_the_shell() {
        let webhook = Webhook { url: "https://hooks.example/", event: "ping", id: "7", body: BODY };
        let arguments = arguments(&signed(webhook));
        let value = |name: &str| {
            let found = arguments.iter().find_map(|line| line.strip_prefix(name));
            found.unwrap().to_owned()
        };
        let (time, signature) = (value("x-service-timestamp: "), value("x-service-signature: "));
        let script = format!(
            "printf '%s.%s' {time} {} | openssl dgst -sha256 -hmac svc_whsec_test",
            quoted(BODY)
        );
        let expected = Command::new("sh").args(["-c", &script]).output().unwrap();
        let expected = String::from_utf8(expected.stdout).unwrap();
        assert_eq!(signature.len(), 64);
        assert!(expected.trim().ends_with(&signature), "{expected} {signature}");
    }
}
