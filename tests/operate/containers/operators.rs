//! The objects of KEDA and of the Prometheus operator.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tokio::process::Command;

use super::kubernetes::{Manifests, has};
use super::{SERVICES, ask_python, deploy, run};

/// Python classes that are generated from the definitions of both operators.
const MODELS: [&str; 3] = [
    "cloudcoil-models-keda==2.16.1.0",
    "cloudcoil-models-prometheus-operator==0.80.1.0",
    "cloudcoil==0.6.0",
];

/// Says of each object whether it follows its definition. The classes ignore unknown fields: what they read lacks these.
const VERDICTS: &str = "
import json, sys
from cloudcoil.models.keda.v1alpha1 import ScaledObject
from cloudcoil.models.prometheus_operator.v1 import ServiceMonitor
from pydantic import ValidationError

models = {model.__name__: model for model in (ScaledObject, ServiceMonitor)}

def verdict(written):
    try:
        read = models[written['kind']].model_validate_json(json.dumps(written), strict=True)
    except ValidationError as error:
        return str(error)
    read = json.loads(read.model_dump_json(by_alias=True, exclude_unset=True))
    return 'accepted' if read == written else f'{written} is read as {read}'

json.dump([verdict(written) for written in json.load(sys.stdin)], sys.stdout)
";

#[tokio::test]
#[ignore = "long: models of operators from the Python package index"]
async fn objects_of_operators_follow_their_definitions() {
    let manifests = Manifests::of("kubernetes").await;
    let scaled = manifests.find("ScaledObject", "webhook-svc");
    let monitor = manifests.find("ServiceMonitor", "mchezo");
    let [mut misspelt, mut number] = [scaled, scaled].map(Value::clone);
    misspelt["spec"]["minReplicaCuont"] = json!(2);
    number["spec"]["triggers"][0]["metadata"]["threshold"] = json!(5);
    let [mut unknown, mut interval] = [monitor, monitor].map(Value::clone);
    unknown["spec"]["endpoints"][0]["relabellings"] = json!([]);
    interval["spec"]["endpoints"][0]["interval"] = json!("15 seconds");

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let environment = testing::python::environment(folder, MODELS[0], &MODELS[1..]).await;
    let python = environment.unwrap().join("bin/python");
    let objects = json!([scaled, monitor, misspelt, number, unknown, interval]);
    let verdicts: Vec<String> = ask_python(&python, VERDICTS, &objects.to_string()).await;
    let (ours, wrong) = verdicts.split_at(2);
    assert_eq!(ours, ["accepted"; 2]);
    let refused = wrong.iter().filter(|verdict| *verdict != "accepted");
    assert_eq!(refused.count(), 4, "{wrong:?}");
}

#[tokio::test]
#[ignore = "long: models of operators from the Python package index"]
async fn objects_of_operators_name_what_is_there() {
    let manifests = Manifests::of("kubernetes").await;
    let scaled = manifests.find("ScaledObject", "webhook-svc");
    manifests.find(
        "Deployment",
        scaled["spec"]["scaleTargetRef"]["name"].as_str().unwrap(),
    );
    let triggers = scaled["spec"]["triggers"].as_array().unwrap();
    assert_eq!(triggers.len(), 1);
    let trigger = &triggers[0];
    assert_eq!(trigger["type"], "prometheus");
    let metadata = trigger["metadata"].as_object().unwrap();
    let fields: Vec<_> = metadata.keys().map(String::as_str).collect();
    assert_eq!(fields, ["query", "serverAddress", "threshold"]);
    // The metric is one that the service has.
    let query = trigger["metadata"]["query"].as_str().unwrap();
    let metric = query.split(['(', '{']).nth(1).unwrap();
    let gauge = format!("gauge!(\"{metric}\"");
    let mut grep = Command::new("grep");
    run(grep.arg("-rq").arg(gauge).arg(deploy("../webhook-svc/src"))).await;

    let monitor = manifests.find("ServiceMonitor", "mchezo");
    let endpoints = monitor["spec"]["endpoints"].as_array().unwrap();
    let scraped = endpoints[0]["port"].clone();
    // The name by which alerts know the fleet.
    let rules = fs::read_to_string(deploy("monitoring/rules.yml")).unwrap();
    let job = endpoints[0]["relabelings"][0].clone();
    assert_eq!(job, json!({"targetLabel": "job", "replacement": "fleet"}));
    assert_eq!(
        rules.matches("job=\"").count(),
        rules.matches("job=\"fleet\"").count()
    );
    for (service, _) in SERVICES {
        let service = manifests.find("Service", service);
        assert!(
            has(&service["spec"]["ports"], "name", &scraped),
            "{service}"
        );
        for (key, value) in monitor["spec"]["selector"]["matchLabels"]
            .as_object()
            .unwrap()
        {
            assert_eq!(service["metadata"]["labels"][key], *value);
        }
    }
}
