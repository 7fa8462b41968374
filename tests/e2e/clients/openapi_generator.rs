//! The clients that openapi-generator makes in languages that are compiled: Java and Rust.

use std::path::{Path, PathBuf};

use super::{Proxy, program, python};

/// Brings the generator as a program for Java. It contains the libraries that its clients in Java need.
const GENERATOR: &str = "openapi-generator-cli==7.26.0";
/// Each call takes one object of parameters, so that a later release can add some.
const NAMED_PARAMETERS: &str = "useSingleRequestParameter=true";

impl Proxy {
    /// Generates a client into the folder `language`, and returns the generator.
    async fn generate(&self, language: &str, input: &str, options: &[&str]) -> PathBuf {
        let python = python(GENERATOR, &[]).await;
        let environment = python.ancestors().nth(2).unwrap();
        let libraries = std::fs::read_dir(environment.join("lib")).unwrap();
        // The name of the folder has the version of Python.
        let library = libraries.last().unwrap().unwrap().path();
        let jar = library.join("site-packages/openapi_generator_cli/openapi-generator.jar");
        let generate = ["-jar", jar.to_str().unwrap(), "generate"];
        let of_language = ["-i", input, "-g", language, "-o", language];
        let all = [&generate[..], &of_language, options].concat();
        self.run(Path::new("java"), &all).await;
        jar
    }
}

/// The discriminators of the full document tell the kinds of rows apart, which a client in Java otherwise tries one after another.
#[tokio::test]
#[ignore = "needs a JDK; tests/README.md has its command and what came of it"]
async fn openapi_generator_makes_a_client_in_java_that_calls_the_fleet() {
    let proxy = Proxy::start().await;
    let options = [
        "useOneOfDiscriminatorLookup=true",
        // Else the generator makes code of a set of known values that does not compile.
        "supportUrlQuery=false",
        // The library for it is not part of the generator.
        "openApiNullable=false",
        NAMED_PARAMETERS,
        "invokerPackage=mchezo",
        "apiPackage=mchezo.api",
        "modelPackage=mchezo.model",
    ];
    let properties = format!("--additional-properties={}", options.join(","));
    let generate = ["--library=native", &properties];
    let jar = proxy.generate("java", "openapi.json", &generate).await;
    let folder = proxy.folder.path();
    let mut sources = vec![program("Calls.java"), program("Generated.java")];
    for package in ["mchezo", "mchezo/api", "mchezo/model"] {
        let package = folder.join("java/src/main/java").join(package);
        let files = std::fs::read_dir(package).unwrap();
        let files = files.map(|file| file.unwrap().path());
        let files = files.filter(|file| file.extension().is_some_and(|it| it == "java"));
        sources.extend(files.map(|file| file.display().to_string()));
    }
    let jar = jar.to_str().unwrap();
    let mut compile = vec!["-d", "classes", "-cp", jar];
    compile.extend(sources.iter().map(String::as_str));
    proxy.run(Path::new("javac"), &compile).await;
    let classes = format!("classes:{jar}");
    proxy
        .run(Path::new("java"), &["-cp", &classes, "Calls"])
        .await;
}

/// In OpenAPI 3.1, the generator would make strings of the constants that are booleans.
#[tokio::test]
#[ignore = "needs Java and Cargo; tests/README.md has its command and what came of it"]
async fn openapi_generator_makes_a_client_in_rust_that_calls_the_fleet() {
    let proxy = Proxy::start().await;
    // A write has a response of its own when it was only checked.
    let options =
        format!("--additional-properties=supportMultipleResponses=true,{NAMED_PARAMETERS}");
    proxy
        .generate("rust", "openapi-3.0.json", &[&options])
        .await;
    let calls = proxy.folder.path().join("calls");
    std::fs::create_dir_all(calls.join("src")).unwrap();
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock");
    for (source, target) in [
        (program("calls.rs"), "src/main.rs"),
        (program("calls.toml"), "Cargo.toml"),
        // Of the packages that the client and the workspace have in common, the versions are those of the workspace.
        (lock.to_owned(), "Cargo.lock"),
    ] {
        std::fs::copy(source, calls.join(target)).unwrap();
    }
    let target = concat!(
        "--target-dir=",
        env!("CARGO_TARGET_TMPDIR"),
        "/openapi-generator"
    );
    let run = ["run", "--quiet", "--manifest-path=calls/Cargo.toml", target];
    proxy.run(Path::new("cargo"), &run).await;
}
