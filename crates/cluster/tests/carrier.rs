//! A relay that delays what it carries, stalls, or cuts the connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// What a relay does to what it carries.
#[derive(Clone, Copy)]
pub struct Fault {
    /// All of it comes later by this time.
    pub delay: Duration,
    /// Nothing is carried for this time, once, after some bytes.
    pub stall: Option<(u64, Duration)>,
    /// The connection is cut after this many bytes.
    pub cut: u64,
}

/// Nothing is wrong.
pub const FINE: Fault = Fault { delay: Duration::ZERO, stall: None, cut: u64::MAX };

/// Carries connections to `target`.
pub fn relay(target: String, fault: Fault) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let passed = Arc::new(AtomicU64::new(0));
    thread::spawn(move || {
        for from in listener.incoming().flatten() {
            let Ok(to) = TcpStream::connect(&target) else { continue };
            from.set_nodelay(true).unwrap();
            to.set_nodelay(true).unwrap();
            for (from, to) in [(&from, &to), (&to, &from)] {
                let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                let passed = Arc::clone(&passed);
                thread::spawn(move || carry(from, to, fault, &passed));
            }
        }
    });
    address
}

fn carry(mut from: TcpStream, mut to: TcpStream, fault: Fault, passed: &AtomicU64) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        thread::sleep(fault.delay);
        let before = passed.fetch_add(read as u64, Relaxed);
        if before > fault.cut {
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
            return;
        }
        if let Some((after, pause)) = fault.stall
            && (before..before + read as u64).contains(&after)
        {
            thread::sleep(pause);
        }
        if to.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
