//! A server that is asked at a rate: what it and its client do for one request.

use crate::common::{Bench, assert_fits, count, flat, series};
use tare_store::Campaign;

/// It reads a request with one call and answers it with another, over one connection.
pub const PROGRAM: &str = r#"[[program]]
name = 'server'
service = 'http://:8080/'
rate = [200]
asks_for = '300ms'
connections = 1
arrivals = 'even'
warmup = 0
repeat = 1
command = ['perl', '-MIO::Socket', '-e', '''
$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:8080", Listen => 9, ReuseAddr => 1) or die;
while ($c = $s->accept) {
    $c->autoflush(1);
    while (<$c>) { print $c "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" if $_ eq "\r\n" }
}
''']
"#;

const ROW: &str = "program/server.p50@200";

/// Figures are of a request, without what the server did to start.
pub fn is_told(bench: &Bench, campaign: &Campaign) {
    let seen =
        |layer: &str, name: &str| count(series(campaign, layer, ROW), &format!("outside/{name}"));
    assert_eq!(seen("native", "operations"), 60.0);
    let writes = seen("native", "calls/program/write");
    assert!((0.9..1.5).contains(&writes), "{writes} answers to a request");
    let opens = seen("native", "calls/program/openat");
    assert!(opens < 1.0, "{opens}: its start is no part of a request");
    let stops = seen("uml", "switches/program/stopped");
    assert!(stops > 4.0, "each reads and writes once for a request: {stops} stops");
    let told = bench.ok(&format!("explain c {ROW} --layer uml")).out;
    for part in ["One request is ", "Seen by the host, per request", "Watched 60 requests in"] {
        assert!(flat(&told).contains(part), "{part}: {told}");
    }
    assert_fits(&told);
}
