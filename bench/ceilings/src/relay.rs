//! An object that holds sockets and sends a constant to all of them when a request asks for it. It measures the least that the way from one
//! client to another client's socket can cost.
//!
//! `GET …/socket` opens a socket that hibernates, as a lobby's does. `…/send` sends each socket a word as long as a
//! status. Under `/hop/` another object
//! inserts a row first; under `/hop2/` this object inserts one too. Under `/ported/` three objects stand before the one
//! with the sockets, as a lobby, a
//! porter and a room do, and the third inserts the row. `…/frame/BYTES` sends each socket a constant of BYTES bytes.

use crate::desk;
use worker::{DurableObject, Env, Request, Response, Result, State, WebSocket, WebSocketIncomingMessage, WebSocketPair, durable_object};

/// A word as long as the status of a called visitor.
const WORD: &str = "{\"state\":\"called\",\"room\":\"pairs\",\"version\":1234,\"mode\":\"open\",\"number\":1234,\"waiting\":1,\"claim_by_at_ms\":1795246000000,\"poll_after_s\":20}";

#[durable_object]
pub struct Relay {
    state: State,
    env: Env,
}

impl DurableObject for Relay {
    fn new(state: State, env: Env) -> Self {
        Self { state, env }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        let url = request.inner().url();
        let path = crate::path_of(&url);
        let mut parts = path.split('/');
        let (first, name, what) = (parts.next(), parts.next().unwrap_or_default(), parts.next());
        match what {
            Some("socket") => {
                let pair = WebSocketPair::new()?;
                self.state.accept_web_socket(&pair.server);
                Response::from_websocket(pair.client)
            }
            Some("send") if first == Some("ported") => self.ask("porter", "ported", name, "bring").await,
            Some("bring") => self.ask("room", "ported", name, "turn").await,
            Some("turn") => {
                desk::insert(&self.state.storage().sql())?;
                self.ask(name, "relay", name, "send").await
            }
            Some("send") => {
                if first == Some("hop2") {
                    desk::insert(&self.state.storage().sql())?;
                }
                if matches!(first, Some("hop" | "hop2")) {
                    self.have_inserted().await?;
                }
                for socket in self.state.get_websockets() {
                    let _ = socket.send_with_str(WORD);
                }
                Response::ok("")
            }
            Some("frame") => {
                let bytes = parts.next().and_then(|count| count.parse().ok());
                let frame = vec![7_u8; bytes.unwrap_or(1)];
                let sockets = self.state.get_websockets();
                for socket in &sockets {
                    let _ = socket.send_with_bytes(&frame);
                }
                Response::ok(sockets.len().to_string())
            }
            _ => Response::error("a relay has no such thing", 404),
        }
    }

    async fn websocket_message(&self, _: WebSocket, _: WebSocketIncomingMessage) -> Result<()> {
        Ok(())
    }

    async fn websocket_close(&self, _: WebSocket, _: usize, _: String, _: bool) -> Result<()> {
        Ok(())
    }

    async fn websocket_error(&self, _: WebSocket, _: worker::Error) -> Result<()> {
        Ok(())
    }
}

impl Relay {
    /// Asks another relay to do `what` for the sockets of `name`.
    async fn ask(&self, relay: &str, kind: &str, name: &str, what: &str) -> Result<Response> {
        let relay = self.env.durable_object("RELAY")?.get_by_name(relay)?;
        let url = format!("https://ceiling/{kind}/{name}/{what}");
        relay.fetch_with_str(&url).await
    }

    async fn have_inserted(&self) -> Result<()> {
        let desk = self.env.durable_object("DESK")?.get_by_name("between")?;
        let answer = desk.fetch_with_str("https://ceiling/insert").await?;
        match answer.status_code() {
            200 => Ok(()),
            status => Err(worker::Error::RustError(format!("the desk answered {status}"))),
        }
    }
}
