//! The Kubernetes manifests, as kustomize renders them.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use tokio::process::Command;

use super::{
    SERVICES, STAFF, TLS, Variables, assert_accepts, assert_knows, deploy, documents, python, run,
    secrets_with_tls, strings, variables,
};

/// The output of a kustomization.
struct Manifests {
    yaml: String,
    objects: Vec<Value>,
}

impl Manifests {
    /// Renders a folder of `deploy`.
    async fn render(folder: &str) -> Self {
        let mut kubectl = Command::new(python().await.join("kubectl"));
        // Without environment, no variable can name a cluster.
        let yaml = run(kubectl.arg("kustomize").arg(deploy(folder)).env_clear()).await;
        let objects = documents(&yaml).await;
        Self { yaml, objects }
    }

    fn with_kind(&self, kind: &'static str) -> impl Iterator<Item = &Value> {
        self.objects.iter().filter(move |it| it["kind"] == kind)
    }

    fn find(&self, kind: &'static str, wanted: &str) -> &Value {
        let found = self.with_kind(kind).find(|it| name(it) == wanted);
        assert!(found.is_some(), "there is no {kind} {wanted}");
        found.unwrap()
    }
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap()
}

/// The pod of a Deployment or Job, with its only container.
fn pod(workload: &Value) -> (&Value, &Value) {
    let pod = &workload["spec"]["template"]["spec"];
    let containers = pod["containers"].as_array().unwrap();
    assert_eq!(containers.len(), 1, "{}", name(workload));
    (pod, &containers[0])
}

/// Whether a list has an element in which `field` is `value`.
fn has(list: &Value, field: &str, value: &Value) -> bool {
    let mut list = list.as_array().into_iter().flatten();
    list.any(|it| it[field] == *value)
}

#[tokio::test]
#[ignore = "long: kubectl and schemas from the Python package index"]
async fn manifests_follow_the_schemas_of_kubernetes() {
    let folder = tempfile::tempdir().unwrap();
    let mut unknown = BTreeSet::new();
    for source in ["", "kubernetes/migrations"] {
        let file = folder.path().join("all.yaml");
        fs::write(&file, Manifests::render(source).await.yaml).unwrap();
        let mut validate = Command::new(python().await.join("python"));
        validate.args(["-m", "kubernetes_validate", "--strict"]);
        let said = run(validate.arg(&file)).await;
        let warnings = said.lines().filter(|line| line.starts_with("WARN"));
        unknown.extend(warnings.map(ToOwned::to_owned));
        assert!(said.contains("INFO"), "nothing was validated: {said}");
    }
    assert_eq!(unknown, BTreeSet::new());
}

#[tokio::test]
#[ignore = "long: kubectl and schemas from the Python package index"]
async fn each_service_gets_its_settings() {
    let manifests = Manifests::render("").await;
    let secrets = secrets_with_tls().await;
    // The name contains a hash of the settings, so that a change of the settings replaces the pods.
    let settings = manifests.with_kind("ConfigMap").next().unwrap();
    for (service, prefix) in SERVICES {
        let (pod, container) = pod(manifests.find("Deployment", service));
        let mut environment = Variables::new();
        for source in container["envFrom"].as_array().unwrap() {
            let map = &source["configMapRef"]["name"];
            if *map == name(settings) {
                let data = settings["data"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
                environment.extend(data);
                continue;
            }
            // The other sources are made from files.
            let secret = &source["secretRef"]["name"];
            let file = map.as_str().or_else(|| secret.as_str()).unwrap();
            environment.extend(variables(&secrets.path().join(format!("{file}.env"))));
        }
        assert_accepts(service, prefix, &environment, secrets.path()).await;

        let volumes = &pod["volumes"];
        assert!(
            has(
                volumes,
                "secret",
                &json!({"secretName": format!("{service}-tls"), "defaultMode": 0o440})
            ),
            "{volumes}"
        );
        let members = json!({"secretName": "staff-members", "defaultMode": 0o440});
        assert!(has(volumes, "secret", &members), "{volumes}");
        for folder in [TLS, STAFF] {
            let mounts = &container["volumeMounts"];
            assert!(has(mounts, "mountPath", &json!(folder)), "{container}");
        }
        // The service listens on the ports of its container.
        for (setting, port) in [("HTTP", "http"), ("GRPC", "grpc"), ("ADMIN", "admin")] {
            let address = environment.get(&format!("{prefix}{setting}_LISTEN"));
            let expected = address.map(|it| it.rsplit_once(':').unwrap().1.parse::<u16>().unwrap());
            let ports = container["ports"].as_array().unwrap();
            let found = ports.iter().find(|it| it["name"] == port);
            assert_eq!(
                found.map(|it| &it["containerPort"]),
                expected.map(Value::from).as_ref(),
                "{service} {port}"
            );
        }
    }
    for job in Manifests::render("kubernetes/migrations").await.with_kind("Job") {
        let service = name(job).strip_prefix("migrate-").unwrap();
        let prefix = SERVICES.iter().find(|it| it.0 == service).unwrap().1;
        let (_, container) = pod(job);
        assert_eq!(strings(&container["command"]), [service, "migrate"]);
        let secret = container["envFrom"][0]["secretRef"]["name"].as_str().unwrap();
        let secret = variables(&secrets.path().join(format!("{secret}.env")));
        assert_eq!(secret.len(), 1);
        assert_knows(service, prefix, &secret).await;
    }
}

/// A namespace with the Pod Security Standard `restricted` admits the pod.
fn assert_confined(workload: &Value) {
    let (pod, container) = pod(workload);
    assert_eq!(container["image"], "localhost/mchezo:latest");
    let security = &pod["securityContext"];
    assert_eq!(security["runAsNonRoot"], true);
    assert_eq!(security["runAsUser"], 10001);
    assert_eq!(security["seccompProfile"]["type"], "RuntimeDefault");
    assert_eq!(pod["automountServiceAccountToken"], false);
    assert_eq!(pod["enableServiceLinks"], false);
    let expected = json!({
        "allowPrivilegeEscalation": false,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": true,
    });
    assert_eq!(container["securityContext"], expected);
    let resources = &container["resources"];
    assert!(resources["requests"]["cpu"].is_string() && resources["limits"]["memory"].is_string());
}

#[tokio::test]
#[ignore = "long: kubectl and schemas from the Python package index"]
async fn each_service_runs_confined_and_is_replaced_without_a_gap() {
    let manifests = Manifests::render("").await;
    assert_eq!(manifests.with_kind("Deployment").count(), SERVICES.len());
    for (service, _) in SERVICES {
        let deployment = manifests.find("Deployment", service);
        assert_confined(deployment);
        let (pod, container) = pod(deployment);
        assert_eq!(strings(&container["command"]), [service]);
        assert_eq!(deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"], 0);
        // DNS answers are cached for 30 seconds.
        assert!(deployment["spec"]["minReadySeconds"].as_u64() > Some(30));
        // The delay and twice the drain take 25 seconds by default.
        assert!(pod["terminationGracePeriodSeconds"].as_u64() > Some(25));
        for (probe, path) in [("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")] {
            assert_eq!(container[probe]["httpGet"], json!({"path": path, "port": "admin"}));
        }
        let spread = pod["topologySpreadConstraints"].as_array().unwrap();
        assert_eq!(spread.len(), 2);
        let budget = manifests.find("PodDisruptionBudget", service);
        assert_eq!(budget["spec"]["selector"], deployment["spec"]["selector"]);

        let scales = |it: &&Value| it["spec"]["scaleTargetRef"]["name"] == service;
        let scaled = manifests.with_kind("HorizontalPodAutoscaler").filter(scales).count();
        let fixed = usize::from(deployment["spec"]["replicas"].as_u64() >= Some(2));
        assert_eq!(scaled + fixed, 1, "{service}: one thing decides on its replicas");
    }
    for job in Manifests::render("kubernetes/migrations").await.with_kind("Job") {
        assert_confined(job);
    }
}

#[tokio::test]
#[ignore = "long: kubectl and schemas from the Python package index"]
async fn each_service_object_leads_to_ports_of_its_pods() {
    let manifests = Manifests::render("").await;
    for service in manifests.with_kind("Service") {
        let labels = service["spec"]["selector"].as_object().unwrap();
        let app = labels["app.kubernetes.io/name"].as_str().unwrap();
        let deployment = manifests.find("Deployment", app);
        for (key, value) in labels {
            assert_eq!(deployment["spec"]["template"]["metadata"]["labels"][key], *value);
        }
        let (_, container) = pod(deployment);
        for port in service["spec"]["ports"].as_array().unwrap() {
            let ports = &container["ports"];
            assert!(has(ports, "name", &port["targetPort"]), "{}: {port}", name(service));
            assert!(has(ports, "containerPort", &port["port"]), "{}: {port}", name(service));
        }
    }
    // Callers resolve the names in their settings to all replicas.
    for (_, address) in variables(&deploy("settings.env")) {
        if let Some(address) = address.strip_prefix("dns:https://") {
            let (host, port) = address.split_once(':').unwrap();
            let spec = &manifests.find("Service", host)["spec"];
            assert_eq!(spec["clusterIP"], "None", "{host}");
            assert!(has(&spec["ports"], "port", &json!(port.parse::<u16>().unwrap())), "{host}");
        }
    }
}
