//! Measures the memory with a hundred thousand keys in use, and the processor time of a guess compared with a call.

use e2e::{Client, Process, SmallFleet, call_with_each, guess, put_keys};

const KEYS: usize = 100_000;
const CALLS: u32 = 20_000;

#[tokio::test]
#[ignore = "long: makes 100,000 keys"]
async fn a_hundred_thousand_keys_in_use_and_a_guesser() {
    let mut small = SmallFleet::new();
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    let client = Client::anonymous(&fleet);
    let secrets: Vec<String> = (0..KEYS).map(|_| guess()).collect();
    let pids = put_keys(&small, &secrets).await.pids();
    let parts = ["gateway", "catalogue-svc", "redis"].map(|name| Process::new(name, pids[name]));
    let gateway = &parts[0];
    let before = gateway.memory();
    call_with_each(&client, secrets.iter().cloned(), &[200]).await;
    let after = gateway.memory();
    println!(
        "{KEYS} keys in use: {after} KiB, {} more than before",
        after - before
    );

    let calls = usize::try_from(CALLS).unwrap();
    let cost = async |what: &str, keys: &mut dyn Iterator<Item = String>, expected: &[u16]| {
        let before = parts.each_ref().map(Process::cpu);
        call_with_each(&client, keys, expected).await;
        for (part, before) in parts.iter().zip(before) {
            let each = (part.cpu() - before) / f64::from(CALLS);
            println!("{what}, {}: {each:.1} µs", part.name);
        }
    };
    let mut one = std::iter::repeat_n(secrets[0].clone(), calls);
    cost("a call", &mut one, &[200]).await;
    let mut guesses = std::iter::repeat_with(guess).take(calls);
    cost("a guess", &mut guesses, &[401, 429]).await;
    assert!(after < 150 * 1024, "the gateway takes {after} KiB");
}
