//! Which requests are refused for where they come from.
//!
//! A page of another site can send requests to a server on this machine: directly, or by DNS
//! rebinding, where the name of that site comes to mean this machine's address. In the first case
//! browsers name the site in `Origin`, in the second its name is in `Host`.

use axum::http::{HeaderMap, Method, Uri, header};

use crate::config::Config;
use crate::problem::{Kind, Problem};

/// Refuses requests to names this server does not have, and those that pages of other sites send.
pub fn check(
    config: &Config,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), Problem> {
    let host = host(uri, headers)?;
    let name = without_port(&host);
    if config.checks_host() && !is_address(name) && !names(config, name) {
        return Err(Problem::new(
            Kind::WrongHost,
            "this server has another name; use its address, or start it with `--host` and this name",
        ));
    }
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let safe = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    let allowed = match text("origin") {
        // Reading is left to the browser, which withholds answers from other origins.
        Some(origin) => safe || is_own(origin, &host, config) || is_listed(origin, config),
        // Without an origin, a request of another site reads nothing, but it would still cost a
        // search. A link from another site is fine.
        None => {
            text("sec-fetch-site") != Some("cross-site")
                || text("sec-fetch-mode") == Some("navigate") && safe
        }
    };
    if allowed {
        return Ok(());
    }
    Err(Problem::new(
        Kind::ForeignOrigin,
        "pages of other sites may not do this; `--cors` allows the pages of an origin",
    ))
}

/// The host and port that a request is for; the one of an absolute address must be allowed as well
/// as that of the header.
fn host(uri: &Uri, headers: &HeaderMap) -> Result<String, Problem> {
    let mut all = headers.get_all(header::HOST).iter();
    let (first, second) = (all.next(), all.next());
    let named = first.and_then(|value| value.to_str().ok()).filter(|_| second.is_none());
    let agrees = |host: &&str| uri.authority().is_none_or(|one| one.as_str() == *host);
    match named.filter(|host| !host.is_empty()).filter(agrees) {
        Some(host) => Ok(host.to_ascii_lowercase()),
        None => Err(Problem::new(Kind::BadRequest, "a request needs exactly one host")),
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// An address in digits cannot be rebound, nor can the name of this machine.
fn is_address(name: &str) -> bool {
    let digits = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    digits.parse::<std::net::IpAddr>().is_ok() || name == "localhost"
}

fn names(config: &Config, name: &str) -> bool {
    config.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
}

/// Whether an origin is this server.
fn is_own(origin: &str, host: &str, config: &Config) -> bool {
    let Some((_, rest)) = origin.split_once("://") else { return false };
    // A proxy may write another name into the header than the browser did.
    rest.eq_ignore_ascii_case(host) || names(config, without_port(rest))
}

fn is_listed(origin: &str, config: &Config) -> bool {
    config.cors.iter().any(|one| one == "*" || one.eq_ignore_ascii_case(origin))
}
