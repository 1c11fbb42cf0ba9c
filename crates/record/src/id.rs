//! Record ids that depend only on the input.

use data_encoding::HEXLOWER;
use sha1::{Digest as _, Sha1};

/// The namespace for object identifiers (RFC 9562, section 6.6).
const OID_NAMESPACE: [u8; 16] =
    [0x6b, 0xa7, 0xb8, 0x12, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];

/// A record id (`urn:uuid:` and a version 5 UUID) made from `parts`: the same parts give the same id.
/// Used where an archive gives a record none (ARC), and for the records of WET files.
pub fn record_id(parts: &[&str]) -> String {
    let namespace = uuid_v5(&OID_NAMESPACE, b"trommel record");
    // A unit separator keeps ["ab", "c"] apart from ["a", "bc"].
    let hex = HEXLOWER.encode(&uuid_v5(&namespace, parts.join("\u{1f}").as_bytes()));
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| hex.get(range).unwrap_or_default());
    format!("urn:uuid:{}", groups.join("-"))
}

/// A UUID from the SHA-1 of a namespace and a name (RFC 9562, section 5.5).
// Two packages fewer than the crate `uuid`, whose SHA-1 is a second one.
fn uuid_v5(namespace: &[u8; 16], name: &[u8]) -> [u8; 16] {
    let digest: [u8; 20] = Sha1::new().chain_update(namespace).chain_update(name).finalize().into();
    let mut id = [0; 16];
    id.copy_from_slice(&digest[..16]);
    id[6] = id[6] & 0x0f | 0x50;
    id[8] = id[8] & 0x3f | 0x80;
    id
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
        assert_eq!(id, "urn:uuid:f0621437-098e-529e-baae-528f826128a7");
    }

    #[test]
    fn the_example_of_the_standard() {
        // RFC 9562, appendix A.4: the namespace of domain names differs in one byte.
        let mut namespace = OID_NAMESPACE;
        namespace[3] = 0x10;
        let id = HEXLOWER.encode(&uuid_v5(&namespace, b"www.example.com"));
        assert_eq!(id, "2ed6657de927568b95e12665a8aea6a2");
    }
}
