/** Reports a broken rule at the frame with index `at`. */
export type Breach = (at: number, rule: string) => void
