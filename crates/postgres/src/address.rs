//! Addresses of databases.

use std::fmt;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::error::{Error, text};

/// Where PostgreSQL's own programs look for a local server.
const SOCKETS: &str = "/var/run/postgresql";
/// How long an attempt to connect may take.
const CONNECT: Duration = Duration::from_secs(10);
/// After this silence the other side is asked whether it is still there.
const IDLE: Duration = Duration::from_secs(15);
/// How long sent data may stay unacknowledged.
const UNANSWERED: Duration = Duration::from_secs(30);

/// The address of a database, `postgres://user:password@host/database`. Its text forms do not
/// contain the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    pub(crate) config: Box<Config>,
}

impl Address {
    /// Whether a text is meant as an address.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Reads an address. Without a host it is that of the local server.
    pub fn parse(address: &str) -> Result<Self, Error> {
        if !Self::is_meant(address) {
            return Err(Error::Address("this is not the address of a database".to_owned()));
        }
        let mut config: Config = address.parse().map_err(|error| Error::Address(text(&error)))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host(SOCKETS);
        }
        if config.get_application_name().is_none() {
            config.application_name("nutcracker");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        // A server that vanished without a word is noticed within a minute.
        config.keepalives_idle(IDLE).keepalives_interval(IDLE / 3).keepalives_retries(3);
        config.tcp_user_timeout(UNANSWERED);
        Ok(Address { config: Box::new(config) })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            let password = if self.config.get_password().is_some() { ":***" } else { "" };
            write!(f, "{user}{password}@")?;
        }
        let ports = self.config.get_ports();
        let port = ports.first().filter(|&&port| port != 5432);
        let port = port.map_or(String::new(), |port| format!(":{port}"));
        let database = self.config.get_dbname().unwrap_or_default();
        match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => write!(f, "{name}{port}/{database}"),
            Some(Host::Unix(path)) if path.as_os_str() == SOCKETS => {
                write!(f, "{port}/{database}")
            }
            Some(Host::Unix(path)) => write!(f, "{port}/{database}?host={}", path.display()),
            None => match self.config.get_hostaddrs().first() {
                Some(address) => write!(f, "{address}{port}/{database}"),
                None => write!(f, "/{database}"),
            },
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_no_password() {
        let cases = [
            ("postgres://me:secret@db.example/books", "postgres://me:***@db.example/books"),
            ("postgresql://me:secret@h:5433/b", "postgres://me:***@h:5433/b"),
            ("postgres://me@h/b?password=secret", "postgres://me:***@h/b"),
            ("postgres://me:se%40cret@h/b", "postgres://me:***@h/b"),
            ("postgres:///b", "postgres:///b"),
            ("postgres://me@%2Ftmp%2Fs/b", "postgres://me@/b?host=/tmp/s"),
            ("postgres:///b?host=/tmp/s&port=5499", "postgres://:5499/b?host=/tmp/s"),
        ];
        for (text, shown) in cases {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.to_string(), shown);
            assert!(!format!("{address:?}").contains("cret"));
        }
    }

    #[test]
    fn wrong_addresses_are_refused() {
        for text in ["books.db", "http://h/b", "postgres://h:port/b", "postgres://h/b?colour=red"] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.contains("postgres://user:password@host/database"), "{error}");
        }
        for text in ["postgres://me:secret@h:port/b", "postgres://me:secret@h/b?x=1"] {
            assert!(!Address::parse(text).unwrap_err().to_string().contains("secret"));
        }
    }
}
