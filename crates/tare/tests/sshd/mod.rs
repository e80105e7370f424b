//! A real sshd for tests, on the loopback interface, with keys of its own; and layers behind it.

use crate::layers_common::{LONG, Place};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tare_layers::{Layer, Session, Settings, Unavailable, configure};
use tare_proto::Machine;
use tempfile::TempDir;

pub const SOON: Duration = Duration::from_secs(20);

/// A server for this test, and how to reach it.
pub struct Far {
    pub place: Place,
    pub server: Child,
    pub folder: PathBuf,
    pub own: Option<TempDir>,
}

impl Drop for Far {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn server_says(own: &Path, port: u16, by_key: bool) -> String {
    let own = own.display();
    let yes = if by_key { "yes" } else { "no" };
    format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {own}/host\nPidFile none\nUsePAM no\nStrictModes no\n\
         AuthorizedKeysFile {own}/user.pub\nPubkeyAuthentication {yes}\nPasswordAuthentication yes\n\
         PermitRootLogin yes\nMaxStartups 100\nLogLevel ERROR\nSetEnv PATH={own}/bin:/usr/bin:/bin\n"
    )
}

fn client_says(own: &Path, port: u16) -> String {
    let own = own.display();
    let user = std::env::var("USER").unwrap_or("root".into());
    format!(
        "Host far\nHostName 127.0.0.1\nPort {port}\nUser {user}\nIdentityFile {own}/user\nIdentitiesOnly yes\n\
         UserKnownHostsFile {own}/known\nStrictHostKeyChecking accept-new\n"
    )
}

fn key(at: &Path) {
    let mut keygen = Command::new("ssh-keygen");
    keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(at);
    assert!(keygen.status().expect("ssh-keygen").success());
}

impl Far {
    /// A server that lets this user in by key, or only by password.
    pub fn new(by_key: bool) -> Far {
        Far::at(Place::new(), by_key)
    }

    /// The same in a place that is there.
    pub fn at(place: Place, by_key: bool) -> Far {
        let folder = place.folder.join("far");
        fs::create_dir(&folder).unwrap();
        // Elsewhere: what has the place's name belongs to its boots.
        let kept = tempfile::tempdir().unwrap();
        let own = kept.path();
        key(&own.join("host"));
        key(&own.join("user"));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        fs::write(own.join("sshd"), server_says(own, port, by_key)).unwrap();
        fs::write(place.folder.join("client"), client_says(own, port)).unwrap();
        let _ = fs::create_dir("/run/sshd"); // where its service would have made it
        let mut server = Command::new("/usr/sbin/sshd");
        server.args(["-D", "-e", "-f"]).arg(own.join("sshd"));
        let server = server.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("sshd");
        let deadline = Instant::now() + SOON;
        // Where nobody listens yet, a socket may get this port itself, and be connected with itself.
        let is_other = |it: TcpStream| it.local_addr().ok() != it.peer_addr().ok();
        while !TcpStream::connect(("127.0.0.1", port)).is_ok_and(is_other) {
            assert!(Instant::now() < deadline, "sshd does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Far { place, server, folder, own: Some(kept) }
    }

    /// What makes the client find it.
    pub fn args(&self) -> String {
        format!("-F {}/client", self.place.folder.display())
    }

    pub fn layer(&self, more: &[(&str, &str)]) -> Box<dyn Layer> {
        let mut settings = Settings::default();
        let args = self.args();
        let folder = self.folder.display().to_string();
        let all = [("name", "ssh"), ("host", "far"), ("args", &args)];
        all.iter().chain(more).for_each(|(key, value)| settings.set(key, value).unwrap());
        settings.default_to("dir", &folder);
        configure(Machine::Real, &settings).unwrap_or_else(|e| panic!("{e}")).2
    }

    pub fn booted(&self, layer: &dyn Layer) -> Session {
        let mut session = self.place.start(layer, None).unwrap_or_else(|e| panic!("{e}"));
        let greeted = session.greet(LONG);
        assert!(greeted.is_ok(), "{greeted:?}\n{}", session.console_tail());
        session
    }

    pub fn refused(&self, layer: &dyn Layer) -> Unavailable {
        let begun = self.place.start(layer, None);
        let (error, console) = match begun {
            Err(error) => (error, String::new()),
            Ok(mut session) => {
                let error = session.greet(LONG).expect_err("it greets");
                (error, session.console_tail())
            }
        };
        layer.explain(&error, &console)
    }

    pub fn is_empty(&self) -> bool {
        fs::read_dir(&self.folder).unwrap().count() == 0
    }

    pub fn assert_clean(&self, after: &str) {
        let deadline = Instant::now() + SOON;
        while !self.is_empty() {
            assert!(Instant::now() < deadline, "{after} left a file there");
            std::thread::sleep(Duration::from_millis(20));
        }
        self.place.assert_clean(after);
    }
}
