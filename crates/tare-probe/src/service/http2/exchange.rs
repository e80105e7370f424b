//! A request on a connection of HTTP/2, and what has come of its answer.

use super::super::answer::too_long;
use h2::client::ResponseFuture;
use h2::{Error, Reason, RecvStream};
use http::StatusCode;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A request and what has come of its answer.
pub struct Exchange {
    /// When it was due, in nanoseconds of the clock.
    pub due: u64,
    response: ResponseFuture,
    body: Option<Body>,
}

struct Body {
    status: StatusCode,
    size: usize,
    rest: RecvStream,
}

/// Why a request has no good answer.
pub enum Failure {
    /// The server has not looked at it, and closes the connection.
    Unseen,
    /// Its answer is an error, or none.
    Bad(String),
}

impl Exchange {
    /// A request that was just sent.
    pub fn new(due: u64, response: ResponseFuture) -> Exchange {
        Exchange { due, response, body: None }
    }

    /// Bytes of the answer that have come.
    pub fn size(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.size)
    }

    /// Waits for the whole answer, of so many bytes at `most`.
    pub fn poll(&mut self, most: usize, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        let body = match &mut self.body {
            Some(body) => body,
            None => match ready!(Pin::new(&mut self.response).poll(context)) {
                Ok(response) => self.body.insert(Body {
                    status: response.status(),
                    size: 0,
                    rest: response.into_body(),
                }),
                Err(error) => return Poll::Ready(Err(Failure::of(&error))),
            },
        };
        while let Some(part) = ready!(body.rest.poll_data(context)) {
            let taken = part.and_then(|part| {
                body.size += part.len();
                body.rest.flow_control().release_capacity(part.len())
            });
            if let Err(error) = taken {
                return Poll::Ready(Err(Failure::of(&error)));
            }
            if body.size > most {
                return Poll::Ready(Err(Failure::Bad(too_long(most))));
            }
        }
        let trailers = ready!(body.rest.poll_trailers(context));
        Poll::Ready(match trailers {
            Err(error) => Err(Failure::of(&error)),
            Ok(_) if (200..400).contains(&body.status.as_u16()) => Ok(()),
            Ok(_) => Err(Failure::Bad(format!("HTTP/2 {}", body.status))),
        })
    }
}

impl Failure {
    fn of(error: &Error) -> Failure {
        let leaves = error.is_go_away() && error.is_remote();
        let is_unseen = error.reason() == Some(Reason::REFUSED_STREAM)
            || leaves && error.reason() == Some(Reason::NO_ERROR);
        if is_unseen { Failure::Unseen } else { Failure::Bad(error.to_string()) }
    }
}
