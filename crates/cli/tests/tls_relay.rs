//! HTTPS in front of a server of HTTP, as a proxy does it.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The certificate for `localhost`, which clients must trust, and one that is not of this server.
/// Made for a hundred years by `openssl req -x509 -days 36500 -addext subjectAltName=DNS:localhost
/// -addext basicConstraints=critical,CA:FALSE`; the key is for tests alone.
pub const CERTIFICATE: &str = include_str!("certificates/server.pem");
pub const OTHER: &str = include_str!("certificates/other.pem");

/// Passes requests on to a local port, until the test ends; the port that speaks HTTPS.
pub fn start(to: u16) -> u16 {
    let certificate = CertificateDer::from(&include_bytes!("certificates/server.der")[..]);
    let key = PrivatePkcs8KeyDer::from(&include_bytes!("certificates/server-key.der")[..]);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            let key = PrivateKeyDer::from(key);
            builder.with_no_client_auth().with_single_cert(vec![certificate], key)
        })
        .expect("a configuration");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let config = Arc::clone(&config);
            // A connection that breaks is the client's affair.
            std::thread::spawn(move || relay(client, config, to));
        }
    });
    port
}

fn relay(client: TcpStream, config: Arc<ServerConfig>, to: u16) -> io::Result<()> {
    let secure = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut client = BufReader::new(StreamOwned::new(secure, client));
    let mut server = BufReader::new(TcpStream::connect(("127.0.0.1", to))?);
    loop {
        pass_message(&mut client, server.get_mut())?;
        pass_message(&mut server, client.get_mut())?;
    }
}

/// Passes the head and the body of one message on.
fn pass_message(from: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
    let (mut head, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(line.as_bytes());
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    head.extend_from_slice(&body);
    to.write_all(&head)?;
    to.flush()
}
