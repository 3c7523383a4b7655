import manifest from "../package.json" with { type: "json" }

/** The release, as `package.json` has it. */
export const sidecarVersion: string = manifest.version
