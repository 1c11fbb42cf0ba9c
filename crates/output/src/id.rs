//! Record ids that depend only on the input.

use uuid::Uuid;

/// A record id (`urn:uuid:` and a version 5 UUID) made from `parts`: the same parts give the same id.
/// Used where an archive gives a record none (ARC), and for the records of WET files.
pub fn record_id(parts: &[&str]) -> String {
    let namespace = Uuid::new_v5(&Uuid::NAMESPACE_OID, b"trommel record");
    // A unit separator keeps ["ab", "c"] apart from ["a", "bc"].
    Uuid::new_v5(&namespace, parts.join("\u{1f}").as_bytes()).urn().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_parts_same_id() {
        let id = record_id(&["conversion", "urn:uuid:1"]);
        assert_eq!(id, record_id(&["conversion", "urn:uuid:1"]));
        assert_ne!(id, record_id(&["conversion", "urn:uuid:2"]));
        assert_ne!(record_id(&["ab", "c"]), record_id(&["a", "bc"]));
        assert!(id.starts_with("urn:uuid:") && id.len() == 45, "{id}");
        assert_eq!(id.as_bytes()[23], b'5');
    }
}
