//! The bill of materials: what a release is made of, in CycloneDX's form (JSON, version 1.5).

use crate::Release;
use crate::parts::{Origin, Part};
use serde_json::{Value, json};

/// The bill of materials of `release`.
pub fn text(release: &Release, parts: &[Part]) -> String {
    let own = |part: &&Part| part.name == "tare" && part.origin == Origin::Own;
    let main =
        parts.iter().find(own).map_or_else(|| json!({}), |part| component(part, "application"));
    let others = parts.iter().filter(|part| !own(part));
    let components: Vec<Value> = others.map(|part| component(part, "library")).collect();
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": main, "properties": [
            { "name": "tare:linkage", "value": if release.is_static { "static" } else { "dynamic" } },
        ]},
        "components": components,
        "dependencies": parts.iter().map(needs).collect::<Vec<Value>>(),
    });
    format!("{bill:#}\n")
}

fn component(part: &Part, kind: &str) -> Value {
    let purl = purl(&part.name, &part.version);
    let mut component = json!({
        "type": kind, "bom-ref": purl, "name": part.name, "version": part.version,
        "licenses": [{ "expression": part.licence.replace('/', " OR ") }],
    });
    match part.origin {
        Origin::ToolChain(how) => component["description"] = how.into(),
        Origin::Crate(_) => component["purl"] = purl.into(),
        Origin::Own => {}
    }
    if let Some(checksum) = &part.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

fn needs(part: &Part) -> Value {
    let needs: Vec<String> = part.needs.iter().map(|(name, version)| purl(name, version)).collect();
    json!({ "ref": purl(&part.name, &part.version), "dependsOn": needs })
}

fn purl(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}
