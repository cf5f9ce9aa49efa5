//! The client of a request.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// The address that a request comes from. Behind a proxy, all clients are one.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

impl<S: Sync> FromRequestParts<S> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        // Requests without a connection are made by this process.
        let local = Peer(Ipv4Addr::LOCALHOST.into());
        Ok(parts.extensions.get::<Peer>().copied().unwrap_or(local))
    }
}
