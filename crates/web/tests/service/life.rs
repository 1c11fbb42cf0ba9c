//! Tests the shutdown of the service.

use std::{io::Write as _, time::Duration};

use trommel_web::service::{ServeError, ServiceLimits};

use crate::client::{answer, connect, get, head};
use crate::host::{Host, limits, settings};

#[test]
fn what_is_in_flight_is_finished() {
    let host = Host::new();
    let page = b"<p>The page that was under way.";
    let mut busy = connect(host.address);
    busy.write_all(head("POST", "/extract", "", page.len()).as_bytes()).unwrap();
    busy.write_all(&page[..10]).unwrap();
    let mut idle = connect(host.address);
    idle.write_all(head("GET", "/readyz", "", 0).as_bytes()).unwrap();
    assert_eq!(answer(&mut idle).text(), "ready\n");
    host.stop();
    // Idle connections are closed, new ones are not taken.
    assert_eq!(std::io::Read::read(&mut idle, &mut [0]).unwrap_or(0), 0);
    busy.write_all(&page[10..]).unwrap();
    let given = answer(&mut busy);
    assert_eq!(given.json()["text"], "The page that was under way.");
    let address = host.address;
    host.ended().unwrap();
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn what_does_not_end_is_left_after_the_grace() {
    let limits = ServiceLimits { grace: Duration::from_millis(100), ..limits() };
    let host = Host::with(settings(limits), &[]);
    assert_eq!(get(host.address, "/healthz").status, 200);
    let mut stuck = connect(host.address);
    stuck.write_all(head("POST", "/extract", "Expect: 100-continue\r\n", 10).as_bytes()).unwrap();
    std::io::Read::read_exact(&mut stuck, &mut [0; 12]).unwrap();
    assert!(matches!(host.ended(), Err(ServeError::Unfinished(0, 1))));
}
