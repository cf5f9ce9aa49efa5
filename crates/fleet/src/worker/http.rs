//! Requests to the server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_mins(1);
const CONNECT: Duration = Duration::from_secs(15);
/// Bytes of an answer.
const ANSWER: u64 = 16 << 20;

/// Why a request failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server cannot be reached, or is not one.
    #[error("{server} does not answer: {reason}")]
    Unreachable {
        /// The address.
        server: String,
        /// What the system said.
        reason: String,
    },
    /// The server is busy or fails.
    #[error("{server} answers {status}: {detail}")]
    Failing {
        /// The address.
        server: String,
        /// The status.
        status: u16,
        /// What it says.
        detail: String,
        /// When to try again.
        retry_after: Option<Duration>,
    },
    /// The server refuses the request.
    #[error("{detail}")]
    Refused {
        /// The status: 400 to 499.
        status: u16,
        /// What it says.
        detail: String,
    },
}

impl CallError {
    /// How long the server asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            CallError::Failing { retry_after, .. } => *retry_after,
            // A token that is refused may be issued again; nothing is gained by haste.
            CallError::Refused { .. } => Some(Duration::from_secs(30)),
            CallError::Unreachable { .. } => None,
        }
    }
}

/// Servers and how to talk to them.
pub struct Caller {
    agent: Agent,
    servers: Vec<String>,
    current: usize,
    token: String,
}

impl fmt::Debug for Caller {
    /// Without the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("servers", &self.servers).finish_non_exhaustive()
    }
}

impl Caller {
    /// A caller of servers by their addresses, such as `https://example.org`, which are tried in
    /// turn; the error is a sentence.
    pub fn new(servers: &[String], token: &str, program: &str) -> Result<Self, String> {
        if servers.is_empty() {
            return Err("no server is given".to_owned());
        }
        if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err("the token is not one; take it as `token new` showed it".to_owned());
        }
        let mut secure = false;
        for server in servers {
            secure |= server.starts_with("https://");
            if !server.starts_with("https://") && !server.starts_with("http://") {
                return Err(format!("{server:?} is no address; write https://example.org"));
            }
        }
        let mut config = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .timeout_connect(Some(CONNECT))
            .http_status_as_error(false)
            // A redirect could carry the token to another server.
            .max_redirects(0)
            .user_agent(program);
        if secure {
            config = config.tls_config(tls()?);
        }
        let servers = servers.iter().map(|one| one.trim_end_matches('/').to_owned()).collect();
        let agent = config.build().into();
        Ok(Caller { agent, servers, current: 0, token: format!("Bearer {token}") })
    }

    /// The server that is asked.
    pub fn server(&self) -> &str {
        &self.servers[self.current]
    }

    /// Turns to the next server.
    pub fn next_server(&mut self) {
        self.current = (self.current + 1) % self.servers.len();
    }

    /// Sends a message, and reads the answer.
    pub fn call<M: Serialize, T: DeserializeOwned>(
        &self,
        what: &str,
        message: &M,
    ) -> Result<T, CallError> {
        let server = self.server().to_owned();
        let lost = |reason: String| CallError::Unreachable { server: server.clone(), reason };
        let body = serde_json::to_vec(message).map_err(|error| lost(error.to_string()))?;
        let sent = self
            .agent
            .post(format!("{server}/api/v1/fleet/{what}"))
            .header("authorization", &self.token)
            .header("content-type", "application/json")
            .send(&body[..]);
        let mut response = sent.map_err(|error| lost(error.to_string()))?;
        let status = response.status().as_u16();
        let header = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let retry_after = header.and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let read = response.body_mut().with_config().limit(ANSWER).read_to_vec();
        let bytes = read.map_err(|error| lost(error.to_string()))?;
        if status == 200 {
            return serde_json::from_slice(&bytes)
                .map_err(|_| lost("it is not a server of a fleet".to_owned()));
        }
        let problem: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let detail = problem["detail"].as_str().map(ToOwned::to_owned);
        match (status, detail) {
            (400..=499, Some(detail)) if status != 408 && status != 429 => {
                Err(CallError::Refused { status, detail })
            }
            (_, detail) => Err(CallError::Failing {
                status,
                detail: detail.unwrap_or_else(|| "no reason is given".to_owned()),
                retry_after,
                server,
            }),
        }
    }
}

/// TLS with the certificates that the system trusts.
fn tls() -> Result<TlsConfig, String> {
    let found = rustls_native_certs::load_native_certs();
    let certificates: Vec<Certificate<'static>> =
        found.certs.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    if certificates.is_empty() {
        return Err("the system has no certificates; install its package of them".to_owned());
    }
    Ok(TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(&certificates))
        .build())
}

#[cfg(test)]
mod tests {
    use super::Caller;

    #[test]
    fn addresses_and_tokens_are_checked_and_no_token_is_shown() {
        let servers = ["http://127.0.0.1:1/".to_owned()];
        assert!(Caller::new(&["example.org".to_owned()], "t", "p").is_err());
        assert!(Caller::new(&[], "t", "p").is_err());
        assert!(Caller::new(&servers, "a\nb", "p").is_err());
        let caller = Caller::new(&servers, "secret", "p").unwrap();
        assert_eq!(caller.server(), "http://127.0.0.1:1");
        assert!(!format!("{caller:?}").contains("secret"));
        let lost = caller.call::<_, u32>("beat", &1).unwrap_err().to_string();
        assert!(lost.contains("127.0.0.1:1 does not answer") && !lost.contains("secret"), "{lost}");
    }
}
