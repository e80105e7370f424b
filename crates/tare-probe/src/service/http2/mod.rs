//! HTTP/2 (RFC 9113): requests share a connection, and their answers come in any order. The crate `h2` speaks it, and is polled whenever
//! the socket has something.

mod exchange;
mod socket;

use super::connection::{Connection, Said, State};
use super::stream::Stream;
use bytes::Bytes;
use exchange::{Exchange, Failure};
use h2::client::{Builder, Connection as Line, SendRequest};
use h2::{Error, Ping, PingPong, Reason};
use http::Request;
use socket::{Signs, Socket};
use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::os::fd::RawFd;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Most requests at once on a connection, which RFC 9113 (section 6.5.2) wants of every server; one may take fewer all the same.
const AT_ONCE: usize = 100;

/// Most bytes of an answer's headers.
const HEADERS: u32 = 64 << 10;

/// A connection, and the requests that are on their way.
pub struct Http2 {
    fd: RawFd,
    signs: Rc<Signs>,
    stage: Stage,
    request: Arc<Request<()>>,
    /// Most bytes of an answer, and of all that have come and are not taken yet.
    most: usize,
    /// Bytes that were taken since the server was last told that it may send as many again.
    taken: usize,
    exchanges: Vec<Exchange>,
    /// What has come and is not told yet.
    said: VecDeque<Said>,
    refused: Option<String>,
}

/// How far the connection is.
enum Stage {
    /// Its first bytes are being sent.
    Opens(Pin<Box<dyn Future<Output = Result<Box<Serving>, Error>>>>),
    /// It serves, until it is over.
    Serves(Box<Serving>),
    /// It is of no use.
    Refused { early: bool },
}

struct Serving {
    sender: SendRequest<Bytes>,
    line: Line<Socket, Bytes>,
    /// A ping whose answer shows that the server speaks HTTP/2; no request is sent before.
    greets: Option<PingPong>,
    is_over: bool,
}

impl Http2 {
    /// Begins to speak HTTP/2; with `greets` it takes no request before the server has answered a ping. An answer takes so many bytes
    /// at `most`.
    pub fn new(stream: Stream, request: &Arc<Request<()>>, most: usize, greets: bool) -> Http2 {
        // Bytes wait until the socket is connected.
        let signs = Rc::new(Signs { is_full: Cell::new(true), ..Signs::default() });
        Http2 {
            fd: stream.fd(),
            signs: signs.clone(),
            stage: Stage::Opens(Box::pin(serve(Socket { stream, signs }, most as u32, greets))),
            request: request.clone(),
            most,
            taken: 0,
            exchanges: Vec::new(),
            said: VecDeque::new(),
            refused: None,
        }
    }

    /// Writes and reads, as far as that goes.
    fn advance(&mut self) {
        self.signs.is_full.set(false);
        self.signs.reads.set(0);
        let mut context = Context::from_waker(Waker::noop());
        if let Stage::Opens(opening) = &mut self.stage {
            match opening.as_mut().poll(&mut context) {
                Poll::Pending => return,
                Poll::Ready(Ok(serving)) => self.stage = Stage::Serves(serving),
                Poll::Ready(Err(error)) => return self.refuse(&error),
            }
        }
        let Stage::Serves(serving) = &mut self.stage else { return };
        match serving.poll(&mut context) {
            Poll::Ready(Err(error)) if serving.greets.is_some() => self.refuse(&error),
            Poll::Ready(Err(error)) => self.refused = words(&error),
            _ => {}
        }
    }

    /// The end of a connection that has not served.
    fn refuse(&mut self, error: &Error) {
        self.refused = words(error);
        self.stage = Stage::Refused { early: self.refused.is_none() };
    }

    /// Looks at what has come of the answers.
    fn look(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        let most = self.most;
        self.exchanges.retain_mut(|exchange| {
            let before = exchange.size();
            let polled = exchange.poll(most, &mut context);
            self.taken += exchange.size() - before;
            let Poll::Ready(answer) = polled else { return true };
            let due = exchange.due;
            self.said.push_back(match answer {
                Ok(()) => Said::Answer { due, good: true, closes: false },
                Err(Failure::Unseen) => Said::Again { due },
                Err(Failure::Bad(why)) => {
                    self.refused = Some(why);
                    Said::Answer { due, good: false, closes: false }
                }
            });
            false
        });
        // It may be waiting for that.
        if self.taken > most / 4 {
            self.taken = 0;
            self.advance();
        }
    }
}

impl Connection for Http2 {
    fn state(&self) -> State {
        match &self.stage {
            Stage::Opens(_) => State::Greets,
            Stage::Serves(serving) if serving.greets.is_some() => State::Greets,
            Stage::Serves(_) => State::Serves,
            Stage::Refused { early } => State::Refused { early: *early },
        }
    }

    fn fd(&self) -> RawFd {
        self.fd
    }

    fn is_full(&self) -> bool {
        self.signs.is_full.get()
    }

    fn is_free(&mut self) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        match &mut self.stage {
            Stage::Serves(serving) if serving.greets.is_none() && !serving.is_over => {
                let most = AT_ONCE.min(serving.line.max_concurrent_send_streams());
                // A server that is about to close takes no more.
                self.exchanges.len() < most
                    && matches!(serving.sender.poll_ready(&mut context), Poll::Ready(Ok(())))
            }
            Stage::Serves(_) | Stage::Opens(_) => false,
            Stage::Refused { .. } => true,
        }
    }

    fn asked(&self) -> usize {
        self.exchanges.len()
    }

    fn ask(&mut self, due: u64) -> io::Result<()> {
        let Stage::Serves(serving) = &mut self.stage else {
            return Err(ErrorKind::NotConnected.into());
        };
        let sent = serving.sender.send_request(Request::clone(&self.request), true);
        let (response, _) = sent.map_err(io::Error::other)?;
        self.exchanges.push(Exchange::new(due, response));
        self.advance();
        Ok(())
    }

    fn hear(&mut self, _: &mut [u8]) -> Said {
        if self.said.is_empty() && !self.is_refused() {
            self.advance();
            let has_more = self.signs.has_more();
            self.signs.reads.set(u32::from(has_more));
            self.look();
            let is_over = matches!(&self.stage, Stage::Serves(serving) if serving.is_over);
            if is_over || self.is_refused() {
                self.said.push_back(Said::Broken);
            }
        }
        self.said.pop_front().unwrap_or(Said::Nothing)
    }

    fn is_unheard(&self) -> bool {
        self.signs.reads.get() > 0 || !self.said.is_empty()
    }

    fn give_up(&mut self, late: u64) -> usize {
        let before = self.exchanges.len();
        // The server is told so when the next bytes are sent.
        self.exchanges.retain(|exchange| exchange.due >= late);
        before - self.exchanges.len()
    }

    fn refused(&mut self) -> Option<String> {
        self.refused.take()
    }
}

/// Opens a connection on a socket.
async fn serve(socket: Socket, most: u32, greets: bool) -> Result<Box<Serving>, Error> {
    let mut builder = Builder::new();
    builder.enable_push(false).max_header_list_size(HEADERS);
    builder.initial_window_size(most).initial_connection_window_size(most);
    let (sender, mut line) = builder.handshake(socket).await?;
    let mut greets = greets.then(|| line.ping_pong()).flatten();
    if let Some(ping) = &mut greets {
        ping.send_ping(Ping::opaque())?;
    }
    Ok(Box::new(Serving { sender, line, greets, is_over: false }))
}

impl Serving {
    /// Advances, until the connection is over.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if self.is_over {
            return Poll::Pending;
        }
        let over = Pin::new(&mut self.line).poll(context);
        self.is_over = over.is_ready();
        if let Some(ping) = &mut self.greets
            && let Poll::Ready(Ok(_)) = ping.poll_pong(context)
        {
            self.greets = None;
        }
        over
    }
}

/// What is wrong with a connection; nothing if it was only closed.
fn words(error: &Error) -> Option<String> {
    match (error.get_io(), error.reason()) {
        (Some(error), _) => error.get_ref().map(ToString::to_string),
        (None, Some(Reason::NO_ERROR)) => None,
        (None, _) => Some(format!("it does not speak HTTP/2: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::open_loop::{self, Load};
    use super::super::outcome::Outcome;
    use super::super::target::Target;
    use super::super::tests::says;
    use super::super::tls;
    use h2::server::{SendResponse, handshake};
    use http::Response;
    use std::thread;
    use std::time::Duration;
    use tokio::net::{TcpListener, TcpStream};
    use tokio::{task, time};

    /// How a server answers.
    #[derive(Clone, Copy)]
    struct Manners {
        status: u16,
        after: Duration,
        /// Requests of a connection after which it is closed.
        leaves_after: usize,
    }

    const PLAIN: Manners = Manners { status: 200, after: Duration::ZERO, leaves_after: usize::MAX };

    /// Serves so on a port, and says which.
    fn serve(manners: Manners) -> u16 {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            task::LocalSet::new().block_on(&runtime.unwrap(), async move {
                let listener = TcpListener::from_std(listener).unwrap();
                while let Ok((socket, _)) = listener.accept().await {
                    task::spawn_local(talk(socket, manners));
                }
            });
        });
        port
    }

    async fn talk(socket: TcpStream, manners: Manners) {
        let Ok(mut connection) = handshake(socket).await else { return };
        let mut requests = 0;
        while let Some(Ok((_, answer))) = connection.accept().await {
            requests += 1;
            if requests == manners.leaves_after {
                connection.graceful_shutdown();
            }
            task::spawn_local(reply(answer, manners));
        }
    }

    async fn reply(mut answer: SendResponse<bytes::Bytes>, manners: Manners) {
        time::sleep(manners.after).await;
        let head = Response::builder().status(manners.status).body(()).unwrap();
        let Ok(mut body) = answer.send_response(head, false) else { return };
        let _ = body.send_data(vec![7; 10_000].into(), true);
    }

    fn load(rate: u32) -> Load {
        Load { rate, lasts: Duration::from_millis(500), connections: 2, ..Load::default() }
    }

    fn ask(port: u16, load: &Load) -> Outcome {
        let target = Target::parse(&format!("h2c://:{port}/")).unwrap();
        open_loop::ask(&target, load, &|| true).unwrap()
    }

    #[test]
    fn requests_share_a_connection() {
        let after = Duration::from_millis(100);
        let outcome = ask(serve(Manners { after, ..PLAIN }), &load(400));
        assert_eq!((outcome.latencies.len(), outcome.errors), (200, 0), "{outcome}");
        // One after the other on each connection, the last would have waited for most of ten seconds.
        assert!(outcome.quantile(0.0) >= 100_000_000 && outcome.quantile(0.5) < 900_000_000);
    }

    #[test]
    fn a_server_that_leaves_is_asked_on_another_connection() {
        let outcome = ask(serve(Manners { leaves_after: 7, ..PLAIN }), &load(400));
        assert_eq!((outcome.latencies.len(), outcome.errors), (200, 0), "{outcome}");
    }

    #[test]
    fn requests_without_an_answer_are_errors() {
        let after = Duration::from_secs(60);
        let short = Load { timeout: Duration::from_millis(100), ..load(100) };
        let outcome = ask(serve(Manners { after, ..PLAIN }), &short);
        assert_eq!((outcome.latencies.len(), outcome.errors), (50, 50), "{outcome}");
    }

    #[test]
    fn bad_answers_and_other_protocols_are_said() {
        let why = ask(serve(Manners { status: 503, ..PLAIN }), &load(40)).without_answer().unwrap();
        assert!(why.ends_with("one was: HTTP/2 503 Service Unavailable"), "{why}");
        let refused = |scheme: &str, port: u16| {
            let target = Target::parse(&format!("{scheme}://:{port}/")).unwrap();
            open_loop::ask(&target, &Load::default(), &|| true).unwrap_err().to_string()
        };
        let why = refused("h2c", says(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        assert!(why.contains("does not speak HTTP/2"), "{why}");
        let why = refused("h2", tls::server::serve(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        assert!(why.contains("does not speak HTTP/2"), "{why}");
    }
}
