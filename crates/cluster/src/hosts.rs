//! The file that lists the machines of a cluster.

/// The port of a machine that is listed without one.
pub const PORT: u16 = 4850;

/// The addresses in the text of a host file: one a line, a name or an IP address with or without a
/// port; what follows a `#` is left out. The error is one sentence.
///
/// ```
/// let hosts = nutcracker_cluster::parse_hosts("# ours\nanna:5000\n10.0.0.2  # upstairs\n").unwrap();
/// assert_eq!(hosts, ["anna:5000", "10.0.0.2:4850"]);
/// assert!(nutcracker_cluster::parse_hosts("anna").is_err());
/// ```
pub fn parse_hosts(text: &str) -> Result<Vec<String>, String> {
    let mut hosts: Vec<String> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let wrong = || format!("line {number} is not an address such as anna:{PORT}: {line:?}");
        // An IPv6 address has colons of its own.
        let bare = line.starts_with('[') && line.ends_with(']');
        let host = match line.rsplit_once(':') {
            Some((host, port)) if !bare => {
                port.parse::<u16>().ok().filter(|&port| port > 0).ok_or_else(wrong)?;
                if host.contains(':') && !host.starts_with('[') {
                    return Err(wrong());
                }
                line.to_owned()
            }
            _ => format!("{line}:{PORT}"),
        };
        if host.contains(char::is_whitespace) || host.starts_with(':') {
            return Err(wrong());
        }
        if hosts.contains(&host) {
            return Err(format!("line {number} lists {host} a second time"));
        }
        hosts.push(host);
    }
    if hosts.len() < 2 {
        return Err("it must list two machines or more".to_owned());
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_address_are_named() {
        for (text, wanted) in [
            ("a\nb c\n", "line 2 is not an address"),
            ("a\nb:x\n", "line 2 is not an address"),
            ("a\n:7\n", "line 2 is not an address"),
            ("a\n::1\n", "line 2 is not an address"),
            ("a\n\nb\na\n", "line 4 lists a:4850 a second time"),
            ("", "it must list two machines"),
        ] {
            let error = parse_hosts(text).unwrap_err();
            assert!(error.starts_with(wanted), "{error}");
        }
        assert_eq!(parse_hosts("[::1]\n[::1]:7").unwrap(), ["[::1]:4850", "[::1]:7"]);
    }
}
