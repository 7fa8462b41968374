//! Commands for a POSIX shell that repeat a webhook or a call of the API.

/// A text as one word of a shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A delivery that its owner can repeat.
#[derive(Debug, Clone, Copy)]
pub struct Webhook<'a> {
    pub url: &'a str,
    pub event: &'a str,
    /// The id of the message.
    pub id: &'a str,
    pub body: &'a str,
}

/// A command that sends a delivery again, with the present time. It signs with the secret in `$SERVICE_WEBHOOK_SECRET`, which the dashboard does not
/// have.
pub fn signed(webhook: Webhook<'_>) -> String {
    let Webhook {
        url,
        event,
        id,
        body,
    } = webhook;
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

/// A call of the API that its owner can repeat.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The address of the API, with its version at the end.
    pub api_url: &'a str,
    pub method: &'a str,
    /// Path and query, with the version.
    pub target: &'a str,
    /// The environment variable with the key. The dashboard does not know the key.
    pub variable: &'a str,
}

/// A command that repeats a call. The body of a write, which no log has, comes from a file.
pub fn call(call: Call<'_>) -> String {
    let Call {
        api_url,
        method,
        target,
        variable,
    } = call;
    // `https://host/v1` and `/v1/games` meet at the version.
    let (base, version) = api_url.rsplit_once('/').unwrap_or((api_url, ""));
    let is_below = |rest: &str| rest.is_empty() || rest.starts_with(['/', '?']);
    let path = target.strip_prefix('/').unwrap_or(target);
    let url = match path.strip_prefix(version).filter(|rest| is_below(rest)) {
        Some(rest) if !version.is_empty() => format!("{api_url}{rest}"),
        // A path that does not exist.
        _ => format!("{base}/{path}"),
    };
    let url = quoted(&url);
    let key = format!("-H \"Authorization: Bearer ${variable}\"");
    match method {
        "GET" => format!("curl -i {key} {url}"),
        "HEAD" => format!("curl -I {key} {url}"),
        "POST" | "PUT" | "PATCH" => format!(
            "curl -i -X {method} {key} \\\n  -H 'content-type: application/json' --data-binary @body.json \\\n  {url}"
        ),
        other => format!("curl -i -X {} {key} {url}", quoted(other)),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const BODY: &str = "{\"id\":\"1\",\"name\":\"Ada's $HOME `x` \\n ✓\"}";

    /// Runs a command in a shell whose `curl` prints its arguments, one per line.
    fn arguments(command: &str) -> Vec<String> {
        let script = format!("curl() {{ printf '%s\\n' \"$@\"; }}\n{command}");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &script])
            .env("SERVICE_WEBHOOK_SECRET", "svc_whsec_test");
        let output = shell.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(ToOwned::to_owned).collect()
    }

    #[test]
    fn no_text_breaks_out_of_its_quotes() {
        let url = "https://hooks.example/a'; rm -rf /; '$(x)";
        let webhook = Webhook {
            url,
            event: "ping",
            id: "7",
            body: BODY,
        };
        let arguments = arguments(&signed(webhook));
        assert_eq!(arguments[1], url);
        assert_eq!(arguments.last().unwrap(), BODY);
        assert!(arguments.contains(&"x-service-event: ping".to_owned()));
        assert!(arguments.contains(&"x-service-delivery: 7".to_owned()));
    }

    #[test]
    fn the_command_signs_with_the_secret_of_the_shell() {
        let webhook = Webhook {
            url: "https://hooks.example/",
            event: "ping",
            id: "7",
            body: BODY,
        };
        let arguments = arguments(&signed(webhook));
        let value = |name: &str| {
            let found = arguments.iter().find_map(|line| line.strip_prefix(name));
            found.unwrap().to_owned()
        };
        let (time, signature) = (
            value("x-service-timestamp: "),
            value("x-service-signature: "),
        );
        let script = format!(
            "printf '%s.%s' {time} {} | openssl dgst -sha256 -hmac svc_whsec_test",
            quoted(BODY)
        );
        let expected = Command::new("sh").args(["-c", &script]).output().unwrap();
        let expected = String::from_utf8(expected.stdout).unwrap();
        assert_eq!(signature.len(), 64);
        assert!(
            expected.trim().ends_with(&signature),
            "{expected} {signature}"
        );
    }

    #[test]
    fn a_call_is_repeated_with_the_key_of_the_shell() {
        let repeat = |method, target| {
            let call = call(Call {
                api_url: "https://mchezo.example/v1",
                method,
                target,
                variable: "SERVICE_WEBHOOK_SECRET",
            });
            arguments(&call)
        };
        let key = "Authorization: Bearer svc_whsec_test";
        let target = "/v1/games?q='; rm -rf /; '$(x)";
        let url = "https://mchezo.example/v1/games?q='; rm -rf /; '$(x)";
        assert_eq!(repeat("GET", target), ["-i", "-H", key, url]);
        let posted = repeat("POST", "/v1/games");
        assert_eq!(posted[..3], ["-i", "-X", "POST"]);
        assert_eq!(posted.last().unwrap(), "https://mchezo.example/v1/games");
        assert!(posted.contains(&"@body.json".to_owned()));
        for (target, url) in [
            ("/v1", "https://mchezo.example/v1"),
            ("/v1?a", "https://mchezo.example/v1?a"),
            ("/v12/games", "https://mchezo.example/v12/games"),
            ("/nothing", "https://mchezo.example/nothing"),
        ] {
            assert_eq!(repeat("GET", target).last().unwrap(), url);
        }
    }
}
