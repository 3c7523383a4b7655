/** Where a life plays: what the model's wishes and the host's requests may name. All paths are absolute. */
export interface Scene {
  readonly work: string
  readonly home: string
  readonly state: string
  /** Skills that may be installed, by name. */
  readonly skills: string
  readonly serverUrl: string
}
