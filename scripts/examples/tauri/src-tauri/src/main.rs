#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod sidecar;

use sidecar::Sidecar;
use std::path::PathBuf;
use std::sync::Mutex;
use tauri::ipc::Channel;
use tauri::{Manager, RunEvent, State};

#[derive(Default)]
struct Running(Mutex<Option<Sidecar>>);

/// Starts the sidecar, in place of one that a page before had; its frames, and a null when it is gone, go to the page.
#[tauri::command(async)]
fn sidecar_start(
    running: State<'_, Running>,
    on_line: Channel<Option<String>>,
) -> Result<(), String> {
    let mut running = running.0.lock().map_err(|error| error.to_string())?;
    *running = None;
    let started = Sidecar::spawn(&program(), &[], move |line| drop(on_line.send(line)));
    *running = Some(started.map_err(|error| format!("{}: {error}", program().display()))?);
    Ok(())
}

#[tauri::command(async)]
fn sidecar_send(running: State<'_, Running>, frame: String) -> Result<(), String> {
    let running = running.0.lock().map_err(|error| error.to_string())?;
    let sidecar = running.as_ref().ok_or("the sidecar is not running")?;
    sidecar.send(&frame).map_err(|error| error.to_string())
}

/// Where the bundler puts an `externalBin`: beside the app, without the target in its name.
fn program() -> PathBuf {
    let app = std::env::current_exe().unwrap_or_default();
    app.with_file_name(format!(
        "atomic-agent-sidecar{}",
        std::env::consts::EXE_SUFFIX
    ))
}

fn main() {
    tauri::Builder::default()
        .manage(Running::default())
        .invoke_handler(tauri::generate_handler![sidecar_start, sidecar_send])
        .build(tauri::generate_context!())
        .expect("the app could not be built")
        .run(|app, event| {
            if let RunEvent::Exit = event {
                // Nothing is dropped when the app exits: the sidecar is let go of here.
                if let Ok(mut running) = app.state::<Running>().0.lock() {
                    *running = None;
                }
            }
        });
}
