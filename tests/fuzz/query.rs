//! Query strings.
#![no_main]

use gateway::extract::query::Params;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|query: &str| {
    let mut params = Params::parse(Some(query));
    params.timestamp_or_now("at");
    params.page();
    params.text("q");
    let _bad = params.finish();
});
