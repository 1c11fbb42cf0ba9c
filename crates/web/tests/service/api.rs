//! Tests the OpenAPI document.

use serde_json::Value;
use trommel_web::service::openapi;

use crate::{client::get, host::Host};

#[test]
fn the_document_names_every_path_and_its_models() {
    let host = Host::new();
    let given = get(host.address, "/openapi.json").json();
    assert_eq!(given, openapi(&["fast"]));
    let paths = given["paths"].as_object().unwrap();
    for path in ["/extract", "/extract/batch", "/inspect", "/metrics", "/healthz", "/readyz"] {
        assert!(paths.contains_key(path), "{path}");
    }
    let parameters = paths["/extract"]["post"]["parameters"].as_array().unwrap();
    let model = parameters.iter().find(|value| value["name"] == "model").unwrap();
    assert_eq!(model["schema"]["enum"], Value::from(vec!["fast"]));
    let about = get(host.address, "/about").json();
    let properties = given["components"]["schemas"]["About"]["properties"].as_object().unwrap();
    assert!(about.as_object().unwrap().keys().eq(properties.keys()), "{about}");
    // What it says of a path is so.
    for (path, operations) in paths {
        for method in operations.as_object().unwrap().keys() {
            let given = crate::client::ask(host.address, &method.to_uppercase(), path, "", b"");
            let status = given.status.to_string();
            let known = &operations[method]["responses"];
            assert!(known.get(&status).is_some(), "{method} {path}: {status}");
        }
    }
}
