//! A sidecar as a child process: lines in, lines out. The page reads what is in them.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// It promises to be gone within three seconds of the end of its input.
const PATIENCE: Duration = Duration::from_secs(4);

pub struct Sidecar {
    child: Mutex<Child>,
    input: Mutex<Option<ChildStdin>>,
}

impl Sidecar {
    /// Starts the program. `on_line` is called with each frame, and with `None` after the last.
    pub fn spawn(
        program: &Path,
        args: &[String],
        on_line: impl Fn(Option<String>) + Send + 'static,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        #[cfg(windows)]
        {
            use std::os::windows::process::CommandExt;
            // Without a console window.
            command.creation_flags(0x0800_0000);
        }
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().expect("stdout is piped");
        thread::spawn(move || {
            // Read at all times: a sidecar that is not read waits.
            for line in BufReader::new(output).split(b'\n') {
                let Ok(line) = line else { break };
                on_line(Some(String::from_utf8_lossy(&line).into_owned()));
            }
            on_line(None);
        });
        Ok(Self {
            child: Mutex::new(child),
            input: Mutex::new(input),
        })
    }

    /// Writes a frame, which is one line.
    pub fn send(&self, frame: &str) -> io::Result<()> {
        if frame.contains('\n') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a frame is one line",
            ));
        }
        let mut input = self.input.lock().expect("nobody panics with it");
        let Some(input) = input.as_mut() else {
            return Err(io::Error::new(
                io::ErrorKind::BrokenPipe,
                "the sidecar is gone",
            ));
        };
        // In one write, so that a failure leaves no half line behind.
        input.write_all(format!("{frame}\n").as_bytes())?;
        input.flush()
    }
}

impl Drop for Sidecar {
    /// Ends its input, which ends it: it stops its turn, closes its database, and goes. One that stays is killed.
    fn drop(&mut self) {
        drop(self.input.get_mut().map(Option::take));
        let Ok(child) = self.child.get_mut() else {
            return;
        };
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}
