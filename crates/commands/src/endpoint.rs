//! A page of text over HTTP, for a program that asks for it now and then: one caller after another,
//! a short request, an answer, and the connection is closed.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// The longest request that is read.
const LONGEST: usize = 8 << 10;
/// How long a caller may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// After an error of the listener.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves `text` at `path` until the process ends. Returns where.
pub fn serve(
    listener: TcpListener,
    path: &'static str,
    text: impl Fn() -> String + Send + 'static,
) -> io::Result<SocketAddr> {
    let address = listener.local_addr()?;
    thread::Builder::new().name("endpoint".to_owned()).spawn(move || {
        loop {
            match listener.accept() {
                // A caller that goes away is of no interest.
                Ok((stream, _)) => drop(answer(stream, path, &text, PATIENCE)),
                Err(_) => thread::sleep(PAUSE),
            }
        }
    })?;
    Ok(address)
}

/// Reads a request and answers it.
fn answer(
    mut stream: TcpStream,
    path: &str,
    text: impl Fn() -> String,
    patience: Duration,
) -> io::Result<()> {
    stream.set_write_timeout(Some(patience))?;
    let request = read(&mut stream, patience)?;
    let reply = match asked(&request) {
        Asked::Nothing => reply("400 Bad Request", "", "not a request\n", true),
        Asked::Otherwise => {
            reply("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "use GET\n", true)
        }
        Asked::For { target, .. } if target != path => {
            reply("404 Not Found", "", &format!("only {path} is here\n"), true)
        }
        Asked::For { body, .. } => reply("200 OK", "", &text(), body),
    };
    stream.write_all(reply.as_bytes())?;
    stream.flush()
}

fn reply(status: &str, more: &str, text: &str, body: bool) -> String {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
         Content-Length: {}\r\n{more}Connection: close\r\n\r\n",
        text.len()
    );
    if body { head + text } else { head }
}

/// The head of a request, or as much of it as came in time and is not too long.
fn read(stream: &mut TcpStream, patience: Duration) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + patience;
    let (mut request, mut buffer) = (Vec::new(), [0; 1024]);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < LONGEST {
        let left = deadline.saturating_duration_since(Instant::now());
        // A caller that sends a byte now and then does not keep the others waiting.
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => request.extend(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
        if Instant::now() >= deadline {
            break;
        }
    }
    Ok(request)
}

/// What a request asks for.
enum Asked {
    /// It is none, or not complete.
    Nothing,
    /// Something else than to read.
    Otherwise,
    /// To read this, and whether more than the head of it.
    For { target: String, body: bool },
}

fn asked(request: &[u8]) -> Asked {
    let Some(end) = request.windows(4).position(|end| end == b"\r\n\r\n") else {
        return Asked::Nothing;
    };
    let Ok(head) = std::str::from_utf8(&request[..end]) else { return Asked::Nothing };
    let words: Vec<&str> = head.lines().next().unwrap_or_default().split(' ').collect();
    let [method, target, version] = words[..] else { return Asked::Nothing };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Asked::Nothing;
    }
    let target = target.split('?').next().unwrap_or_default().to_owned();
    match method {
        "GET" | "HEAD" => Asked::For { target, body: method == "GET" },
        _ if !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            Asked::Otherwise
        }
        _ => Asked::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Shutdown;

    use super::*;

    /// What is answered to a request; the caller then closes its side, or waits.
    fn ask(request: &[u8], closes: bool) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut caller = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let request = request.to_vec();
        thread::scope(|scope| {
            scope.spawn(move || {
                let page = || "page\n".to_owned();
                answer(stream, "/metrics", page, Duration::from_millis(200))
            });
            // An answer may come before everything is sent.
            let _ = caller.write_all(&request);
            if closes {
                let _ = caller.shutdown(Shutdown::Write);
            }
            let mut text = Vec::new();
            let _ = caller.read_to_end(&mut text);
            String::from_utf8(text).unwrap()
        })
    }

    #[test]
    fn the_page_is_served() {
        for request in
            ["GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "GET /metrics?a=b HTTP/1.0\r\n\r\n"]
        {
            let text = ask(request.as_bytes(), false);
            assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
            assert!(text.contains("\r\nContent-Length: 5\r\n"), "{text}");
            assert!(text.ends_with("\r\n\r\npage\n"), "{text}");
        }
        let text = ask(b"HEAD /metrics HTTP/1.1\r\n\r\n", false);
        assert!(text.contains("Content-Length: 5") && text.ends_with("\r\n\r\n"), "{text}");
    }

    #[test]
    fn anything_else_is_refused() {
        let long = [b"GET /metrics HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 2 * LONGEST]].concat();
        for (request, status) in [
            (&b"GET / HTTP/1.1\r\n\r\n"[..], "404"),
            (b"GET /metricsx HTTP/1.1\r\n\r\n", "404"),
            (b"POST /metrics HTTP/1.1\r\n\r\n", "405"),
            (b"DELETE /x HTTP/1.1\r\n\r\n", "405"),
            (b"get /metrics HTTP/1.1\r\n\r\n", "400"),
            (b"GET /metrics\r\n\r\n", "400"),
            (b"GET /metrics SMTP\r\n\r\n", "400"),
            (b"GET metrics HTTP/1.1\r\n\r\n", "400"),
            (b"\r\n\r\n", "400"),
            (b"\xff\xfe\r\n\r\n", "400"),
            (b"", "400"),
            (&long, "400"),
        ] {
            let text = ask(request, true);
            let shown = String::from_utf8_lossy(&request[..request.len().min(40)]);
            // A caller that still sends may lose the answer to a request that is too long.
            let lost = request.len() > LONGEST && text.is_empty();
            assert!(lost || text.starts_with(&format!("HTTP/1.1 {status} ")), "{shown}: {text}");
        }
    }

    #[test]
    fn a_caller_that_says_nothing_is_not_waited_for() {
        assert!(ask(b"GET /metrics HTTP/1.1\r\n", false).starts_with("HTTP/1.1 400 "));
    }
}
