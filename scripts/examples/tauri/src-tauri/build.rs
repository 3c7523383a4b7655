fn main() {
    // Named here, a command is for those windows alone whose capability allows it.
    let commands = tauri_build::AppManifest::new().commands(&["sidecar_start", "sidecar_send"]);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(commands))
        .expect("tauri-build failed")
}
