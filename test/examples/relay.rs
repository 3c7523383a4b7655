//! Passes lines on between our own pipes and the example's sidecar, whose program and arguments we are given.

#[path = "SIDECAR_RS"]
mod sidecar;

use std::io::{BufRead, Write};

fn main() {
    let mut args = std::env::args().skip(1);
    let program = std::path::PathBuf::from(args.next().expect("a program"));
    let sidecar = sidecar::Sidecar::spawn(&program, &args.collect::<Vec<_>>(), |line| {
        let mut output = std::io::stdout().lock();
        let text = line.map_or("GONE\n".to_string(), |line| line + "\n");
        if output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_err() {
            std::process::exit(1);
        }
    })
    .expect("it starts");
    assert!(sidecar.send("{}\n{}").is_err(), "two lines are no frame");
    for line in std::io::stdin().lock().lines() {
        sidecar.send(&line.expect("a line")).expect("it is written");
    }
}
